# SPDX-License-Identifier: Apache-2.0
# Passwords and keys of an instance: random, made once, readable by the owner alone. No secret is
# ever an argument of a command.
# shellcheck shell=sh

secrets_ensure() {
    (
        umask 077
        mkdir -p "$dir/secrets"
        for name in broker-admin broker-router broker-node broker-clearing broker-operator \
            broker-submitter db-node db-migrator db-checker; do
            [ -s "$dir/secrets/$name" ] && continue
            openssl rand -hex 24 >"$dir/secrets/$name.new"
            mv "$dir/secrets/$name.new" "$dir/secrets/$name"
        done
    )
}

key_ed25519() { # PARTICIPANT KEYID: the private key, and its public half in KEYID.pub
    file=$dir/keys/$1/$2
    [ -s "$file.pub" ] && return 0
    mkdir -p "$dir/keys/$1"
    (umask 077 && openssl genpkey -algorithm ed25519 -out "$file")
    openssl pkey -in "$file" -pubout -out "$file.pub.new"
    mv "$file.pub.new" "$file.pub"
}

key_hmac() { # PARTICIPANT KEYID: 32 random bytes in base64
    file=$dir/keys/$1/$2
    [ -s "$file" ] && return 0
    mkdir -p "$dir/keys/$1"
    (umask 077 && openssl rand -base64 32 >"$file.new")
    mv "$file.new" "$file"
}
