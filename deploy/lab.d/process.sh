# SPDX-License-Identifier: Apache-2.0
# The processes of an instance: run/NAME.pid holds the process id and the time it started (clock
# ticks since boot), so that a recycled id is never taken for ours.
# shellcheck shell=sh

process_pid() { # NAME: prints the id when it runs
    [ -f "$dir/run/$1.pid" ] || return 1
    read -r pid started <"$dir/run/$1.pid" || return 1
    now=$("$here/lab.d/started-at" "$pid") || return 1
    [ "$now" = "$started" ] || return 1
    printf '%s\n' "$pid"
}

process_running() { process_pid "$1" >/dev/null; }

process_gone() { ! process_running "$1"; }

process_start() { # NAME LOG COMMAND...
    name=$1
    log=$2
    shift 2
    mkdir -p "$dir/run" "$dir/log"
    : >"$dir/run/$name.pid" # see process_settle
    # Its own session: a Ctrl-C in our terminal is ours, not its.
    setsid "$here/lab.d/run-as" "$dir/run/$name.pid" "$@" </dev/null >>"$log" 2>&1 3>&- 9>&- &
    if ! wait_until 10 [ -s "$dir/run/$name.pid" ]; then
        show_log "$log"
        die "could not start $name (log: $log)"
    fi
}

# An empty pid file says that a start was under way when a signal ended it: what was started then
# fills the file within moments, or was not started at all.
process_settle() { # NAME
    file=$dir/run/$1.pid
    [ ! -e "$file" ] || wait_until 3 [ -s "$file" ] || rm -f "$file"
}

process_signal() { # NAME SIGNAL
    pid=$(process_pid "$1") || return 0
    kill "-$2" "$pid" 2>/dev/null || :
}

# Asks it to end, waits, then kills. A frozen process gets its signals once it goes on.
process_stop() { # NAME SECONDS
    process_settle "$1"
    if process_running "$1"; then
        process_signal "$1" TERM
        process_signal "$1" CONT
        if ! wait_until "$2" process_gone "$1"; then
            say "$1 did not end in $2 s: killed (log: $dir/log)"
            process_kill "$1"
        fi
    fi
    rm -f "$dir/run/$1.pid"
}

process_kill() { # NAME
    process_settle "$1"
    process_signal "$1" KILL
    wait_until 10 process_gone "$1" || die "could not end $1"
    rm -f "$dir/run/$1.pid"
}

# Names of all processes whose pid file is there and whose name begins with PREFIX, in order.
process_names() { # PREFIX
    for file in "$dir"/run/"$1"*.pid; do
        [ -e "$file" ] || continue
        name=${file##*/}
        printf '%s\n' "${name%.pid}"
    done
}
