# SPDX-License-Identifier: Apache-2.0
# What every part of the lab uses: messages, an instance's memory, children that end with us.
# shellcheck shell=sh

# Descriptor 3 is our own output: a trap may run while a command's output goes to its log.
exec 3>&1
say() { printf '%s\n' "lab: $*" >&3; }

die() {
    printf '%s\n' "lab: $*" >&2
    exit 1
}

# The end of a log, for a failure message: what happened stands there, the rest is in the file.
show_log() {
    [ -s "$1" ] || return 0
    printf '%s\n' "lab: last lines of $1:" >&2
    tail -n "${2:-15}" "$1" | sed 's/^/  | /' >&2
}

# An instance remembers its choices as `key value` lines in lab.conf.
remember() {
    if [ -f "$dir/lab.conf" ]; then
        grep -v "^$1 " "$dir/lab.conf" >"$dir/lab.conf.new" || :
    else
        : >"$dir/lab.conf.new"
    fi
    printf '%s %s\n' "$1" "$2" >>"$dir/lab.conf.new"
    mv "$dir/lab.conf.new" "$dir/lab.conf"
}

recall() { # KEY DEFAULT
    value=
    [ ! -f "$dir/lab.conf" ] || value=$(sed -n "s/^$1 //p" "$dir/lab.conf")
    printf '%s\n' "${value:-$2}"
}

# A child with a session of its own, so that a signal to this script, or a Ctrl-C, ends it and all
# that it started: a shell handles a trap only between commands, and waits in `wait` alone.
children=
spawn() {
    setsid "$@" 3>&- 9>&- &
    child=$!
    children="$children $child"
}

await() { # PID: its exit status
    rc=0
    wait "$1" || rc=$?
    left=
    for child in $children; do [ "$child" = "$1" ] || left="$left $child"; done
    children=$left
    return "$rc"
}

run() {
    spawn "$@"
    await "$child"
}

# TERM, not INT: what a script starts with & ignores INT. Then until the last of each session is gone.
end_children() {
    for child in $children; do
        kill -TERM "-$child" 2>/dev/null || kill -TERM "$child" 2>/dev/null || :
    done
    for child in $children; do
        wait "$child" 2>/dev/null || :
        wait_until 10 session_gone "$child" || kill -KILL "-$child" 2>/dev/null || :
    done
    children=
}

session_gone() { ! kill -0 "-$1" 2>/dev/null; }

# Only one command at a time changes an instance. Descriptors 3 and 9 are closed in what we start.
lock_instance() {
    mkdir -p "$dir" || die "could not make $dir"
    exec 9>"$dir/lock"
    flock -w 120 9 || die "another command has been changing $dir for two minutes"
}

unlock_instance() { exec 9>&-; }

wait_until() { # SECONDS COMMAND...: tried every 0.2 s
    tries=$(($1 * 5))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.2
    done
}
