# SPDX-License-Identifier: Apache-2.0
# Held-down CPU: each node and each shard in a control group of its own, which may use a share of one
# core, so that capacity is what is added when nodes or shards are added. Control groups of version 1
# and 2, whichever of them has the cpu controller here. Root only.
# shellcheck shell=sh

cgroup_top=${STE_LAB_CGROUPS:-/sys/fs/cgroup} # tests name a folder of their own

# Sets cgroup_version and cgroup_root, the top of the hierarchy with the cpu controller.
cpu_find() {
    for cgroup_root in "$cgroup_top" "$cgroup_top/unified"; do
        cgroup_version=2
        if grep -qsw cpu "$cgroup_root/cgroup.controllers"; then return 0; fi
    done
    for cgroup_root in "$cgroup_top/cpu" "$cgroup_top/cpu,cpuacct"; do
        cgroup_version=1
        if [ -f "$cgroup_root/cpu.shares" ]; then return 0; fi
    done
    return 1
}

# The instance's groups lie in one of their own, which never has a process itself: version 2 allows
# no process where a controller is handed on to children.
cpu_tree() {
    sum=$(printf '%s' "$dir" | cksum)
    printf '%s\n' "$cgroup_root/ste-${sum%% *}"
}

cpu_share_of() { # PROCESS NAME: empty where it is not held
    case $1 in
    node-*) held=$node_cpu ;;
    shard-*) held=$shard_cpu ;;
    *) held=none ;;
    esac
    [ "$held" = none ] || printf '%s\n' "$held"
}

# "quota period" in us. The kernel takes no quota below 1 ms. Short periods make short pauses: a
# tenth of a core is 2 ms in every 20, not 10 in every 100; below a twentieth the period grows so far
# that the quota is 1 ms. A thread is stopped at a clock tick (1-4 ms) only, but what it took too
# much is taken off its next periods: over a second the share is exact.
cpu_quota() { # SHARE
    awk -v share="$1" 'BEGIN {
        period = 20000
        if (share * period < 1000) period = int(1000 / share + 0.5)
        printf "%d %d\n", share * period + 0.5, period
    }'
}

cpu_write() { # FILE TEXT
    { printf '%s\n' "$2" >"$1"; } 2>/dev/null
}

cpu_limit() { # GROUP QUOTA PERIOD; quota "max": none
    if [ "$cgroup_version" = 2 ]; then
        cpu_write "$1/cpu.max" "$2 $3"
        return
    fi
    most=$2
    [ "$most" != max ] || most=-1
    cpu_write "$1/cpu.cfs_period_us" "$3" && cpu_write "$1/cpu.cfs_quota_us" "$most"
}

# Version 2 has cpu.max in a group only where its parent hands the controller on.
cpu_hand_on() { # GROUP
    [ "$cgroup_version" = 2 ] || return 0
    if grep -qsw cpu "$1/cgroup.subtree_control"; then return 0; fi
    cpu_write "$1/cgroup.subtree_control" +cpu
}

# Asked before anything is started, so that a lab is not half up when it cannot be.
cpu_prepare() {
    [ "$node_cpu$shard_cpu" != nonenone ] || return 0
    cpu_find || die "no cpu controller of control groups (version 1 or 2) in $cgroup_top"
    cpu_hand_on "$cgroup_root" ||
        die "could not hand the cpu controller on in $cgroup_root: only root can, and only where that group has no processes of its own (a container needs the host's control groups, writable)"
    tree=$(cpu_tree)
    { mkdir -p "$tree" 2>/dev/null && cpu_hand_on "$tree"; } ||
        die "could not make the control group $tree: only root can, and $cgroup_root must be writable"
}

cpu_hold() { # PROCESS NAME: all its threads, now and later
    share=$(cpu_share_of "$1")
    pid=$(process_pid "$1") || return 0
    if [ -z "$share" ]; then
        cpu_release "$1"
        return 0
    fi
    cpu_prepare
    group=$(cpu_tree)/$1
    quota=$(cpu_quota "$share")
    { mkdir -p "$group" 2>/dev/null && cpu_limit "$group" "${quota% *}" "${quota#* }" &&
        cpu_write "$group/cgroup.procs" "$pid"; } ||
        die "could not hold $1 to $share of a core in $group"
}

# One that was held and is to be no more.
cpu_release() { # PROCESS NAME
    cpu_find || return 0
    group=$(cpu_tree)/$1
    [ -d "$group" ] || return 0
    cpu_limit "$group" max 100000 || die "could not lift the limit of $group"
}

# What is held, for people and for the monitor: `node=0.1 shard=0.15`.
cpu_note() {
    rm -f "$dir/cpu-shares"
    [ "$node_cpu$shard_cpu" != nonenone ] || return 0
    note=
    [ "$node_cpu" = none ] || note="node=$node_cpu"
    [ "$shard_cpu" = none ] || note="$note${note:+ }shard=$shard_cpu"
    printf '%s\n' "$note" >"$dir/cpu-shares"
}

# At the end of `up`: a database that is made and migrated on a twentieth of a core would take
# minutes, and that is not what is measured.
cpu_hold_all() {
    cpu_note
    for name in $(process_names shard-) $(process_names node-); do cpu_hold "$name"; done
}

# Before a stop: what is asked to end gets the time to do so.
cpu_lift_all() {
    cpu_find || return 0
    for group in "$(cpu_tree)"/*/; do
        [ ! -d "$group" ] || cpu_limit "${group%/}" max 100000 || :
    done
}

cpu_group_gone() { # GROUP: an ended process leaves its group a moment later
    [ ! -d "$1" ] || rmdir "$1" 2>/dev/null
}

cpu_forget() { # after the processes have ended
    rm -f "$dir/cpu-shares"
    cpu_find || return 0
    tree=$(cpu_tree)
    for group in "$tree"/*/ "$tree"; do
        wait_until 5 cpu_group_gone "${group%/}" || say "could not remove the control group $group"
    done
}
