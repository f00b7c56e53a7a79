# SPDX-License-Identifier: Apache-2.0
# participants.yaml and its keys: the named ones of docs/MESSAGES.md, a hub that may send for all,
# and a hundred more for load.
# shellcheck shell=sh

# ROLE PREFIX COUNT: BIC8s of 4 letters (PREFIX and two that count), a country, and 2L.
participants_generated() {
    awk -v role="$1" -v prefix="$2" -v count="$3" 'BEGIN {
        countries = split("SG GB US JP HK DE FR", country, " ")
        for (i = 0; i < count; i++)
            printf "%s%c%c%s2L %s\n", prefix, 65 + int(i / 26), 65 + i % 26,
                country[i % countries + 1], role
    }'
}

# BIC8 and role of each, one a line.
participants_list() {
    cat <<END
BROKSGSG broker
BROKGB2L broker
INVMSGSG manager
INVMGB2L manager
CUSTSGSG custodian
CUSBSGSG custodian
CUSTGB2L custodian
CUSBGB2L custodian
CDPLSGSG csd
CRSTGB22 csd
END
    participants_generated broker LB 33
    participants_generated manager LM 33
    participants_generated custodian LC 34
}

participant_entry() { # BIC8 ROLE REPLIES
    cat <<END
  - id: $1
    roles: [$2]
    replies: $3
    keys:
      - { id: k1, algorithm: ed25519, file: keys/$1/k1.pub, from: 2020-01-01, to: 2099-12-31 }
END
    case $1 in
    BROKSGSG | INVMSGSG)
        echo "      - { id: h1, algorithm: hmac-sha256, file: keys/$1/h1, from: 2020-01-01, to: 2099-12-31 }"
        ;;
    esac
}

participants_write() { # REPLIES
    participants_list >"$dir/participants.list"
    while read -r bic role; do
        key_ed25519 "$bic" k1
    done <"$dir/participants.list"
    key_hmac BROKSGSG h1
    key_hmac INVMSGSG h1
    key_hmac STEHSGSG hub
    key_ed25519 STEHSGSG hub-ed
    {
        echo "# Written by deploy/lab for this instance."
        echo "participants:"
        while read -r bic role; do
            participant_entry "$bic" "$role" "$1"
        done <"$dir/participants.list"
        cat <<END
  - id: STEHSGSG
    roles: [operator]
    replies: $1
    sends_for: ["*"]
    keys:
      - { id: hub, algorithm: hmac-sha256, file: keys/STEHSGSG/hub, from: 2020-01-01, to: 2099-12-31 }
      - { id: hub-ed, algorithm: ed25519, file: keys/STEHSGSG/hub-ed.pub, from: 2020-01-01, to: 2099-12-31 }
END
    } >"$dir/participants.yaml.new"
    rm -f "$dir/participants.list"
    mv "$dir/participants.yaml.new" "$dir/participants.yaml"
}
