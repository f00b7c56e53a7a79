# SPDX-License-Identifier: Apache-2.0
# The engine's own programs of an instance: set-up by ste-admin, then routers and nodes.
# shellcheck shell=sh

program() { # NAME: path of the binary
    [ -x "$bin/$1" ] || die "$bin/$1 is not there: build it, or name its folder with --bin"
    printf '%s\n' "$bin/$1"
}

admin_step() { # VERB
    log=$dir/log/$1.log
    admin=$(program ste-admin) || exit 1
    if ! run "$admin" --config "$dir/cluster.yaml" "$1" >"$log" 2>&1; then
        show_log "$log"
        die "ste-admin $1 failed (log: $log)"
    fi
}

daemon_of() { # COMPONENT NAME: the program that runs it
    case $1 in
    router-*) echo ste-router ;;
    node-*) echo ste-node ;;
    *) die "$1 is no router and no node" ;;
    esac
}

# What the instance's map names, routers first.
component_names() {
    n=1
    while [ "$n" -le "$routers" ]; do
        echo "router-$n"
        n=$((n + 1))
    done
    n=1
    while [ "$n" -le "$nodes" ]; do
        echo "node-$n"
        n=$((n + 1))
    done
}

component_start() { # NAME
    process_running "$1" && return 0
    daemon=$(program "$(daemon_of "$1")") || exit 1
    process_start "$1" "$dir/log/$1.log" "$daemon" \
        --config "$dir/cluster.yaml" --name "$1"
}

component_ready() { # NAME
    process_running "$1" || return 0 # dead: the caller tells
    "$(program "$(daemon_of "$1")")" --config "$dir/cluster.yaml" --name "$1" --health \
        >/dev/null 2>&1
}

component_wait() { # NAME
    if ! wait_until 30 component_ready "$1" || ! process_running "$1"; then
        show_log "$dir/log/$1.log"
        die "$1 is not ready (log: $dir/log/$1.log)"
    fi
}
