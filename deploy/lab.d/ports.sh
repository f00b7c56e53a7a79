# SPDX-License-Identifier: Apache-2.0
# Free ports, chosen once and remembered in DIR/ports (`name port` lines). All lie below the range
# that outgoing connections use. The search starts at a place made from the instance's path, so that
# two instances that start together look at different ports.
# shellcheck shell=sh

ports_base=20000
ports_span=12000

ports_listening() { # port numbers in hex, on any address
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk '$4 == "0A" { n = split($2, part, ":"); print part[n] }'
}

port_busy() { # PORT
    ports_listening | grep -q "^$(printf '%04X' "$1")\$"
}

port() { # NAME: the remembered port
    sed -n "s/^$1 //p" "$dir/ports"
}

port_choose() { # NAME
    busy=$(ports_listening)
    sum=$(printf '%s' "$dir" | cksum)
    candidate=$((ports_base + ${sum%% *} % (ports_span / 50) * 50))
    tries=$ports_span
    while [ "$tries" -gt 0 ]; do
        if ! printf '%s\n' "$busy" | grep -q "^$(printf '%04X' "$candidate")\$" &&
            ! grep -q " $candidate\$" "$dir/ports"; then
            printf '%s %s\n' "$1" "$candidate" >>"$dir/ports"
            return 0
        fi
        candidate=$((candidate + 1))
        [ "$candidate" -lt $((ports_base + ports_span)) ] || candidate=$ports_base
        tries=$((tries - 1))
    done
    die "no free port between $ports_base and $((ports_base + ports_span))"
}

# Every name gets a port. One that a stranger has taken since, while our process was down, is
# chosen anew.
ports_ensure() { # NAME PROCESS pairs
    [ -f "$dir/ports" ] || : >"$dir/ports"
    while [ "$#" -gt 0 ]; do
        chosen=$(port "$1")
        if [ -n "$chosen" ] && ! process_running "$2" && port_busy "$chosen"; then
            grep -v "^$1 " "$dir/ports" >"$dir/ports.new" || :
            mv "$dir/ports.new" "$dir/ports"
            chosen=
        fi
        [ -n "$chosen" ] || port_choose "$1"
        shift 2
    done
}
