# SPDX-License-Identifier: Apache-2.0
# The demonstration: an instance of its own, generated trades through it, and what came out, judged
# by the independent checker. Nothing stays behind unless --keep.
# shellcheck shell=sh

demo_end() { # what a signal or a failure leaves: nothing that runs
    end_children
    unlock_instance # it may have been in the middle of its start
    say "stopping the instance"
    # The next demo begins with an empty folder: no service has to close its files in good order.
    (opt_kill=1 && instance_down) || :
}

demo_fail() { # TEXT LOG
    show_log "$2"
    say "$1 (log: $2)" >&2
    return 1
}

# Only an earlier demo's folder is emptied.
demo_fresh() {
    [ -f "$dir/lab.conf" ] || return 0
    [ -n "$(recall demo '')" ] || die "$dir is an instance of \`deploy/lab up\`: name another --dir"
    (opt_wipe=1 && instance_down)
}

demo_generate() {
    say "generating $trades trades, $((trades * 7)) messages"
    run "$bin/ste-bench" gen --config "$dir/cluster.yaml" --trades "$trades" --out "$dir/set" \
        --shuffle-window 512 >"$dir/log/gen.log" 2>&1 || demo_fail "the generator failed" "$dir/log/gen.log"
}

# Driver and pool in one process and on one clock, so that latency means something; at most 2,000
# messages between publish and CLS, more only where batches and shuffling need it.
demo_send() {
    outstanding=$((2 * 512 + 2 * batch + 700))
    [ "$outstanding" -ge 2000 ] || outstanding=2000
    say "sending, $batch to a delivery"
    # The progress bar, and why it failed, go to the terminal.
    run "$bin/ste-bench" run --config "$dir/cluster.yaml" --set "$dir/set" --batch "$batch" \
        --ledger "$dir/sent.ledger" --cls-ledger "$dir/cls.ledger" --outstanding "$outstanding" \
        --idle 60 --progress --json "$dir/run.json" >"$dir/log/run.log" ||
        demo_fail "not every message became part of a CLS" "$dir/log/run.log"
}

demo_check() {
    say "checking both ledgers against all shards and queues"
    run "$bin/ste-admin" --config "$dir/cluster.yaml" check --sent "$dir/sent.ledger" \
        --cls "$dir/cls.ledger" --wait 30 --json "$dir/check.json" >"$dir/log/check.log" 2>&1 ||
        demo_fail "the checker found faults" "$dir/log/check.log"
}

# Checked even where something failed before: what came out is what counts.
demo_run() {
    demo_generate || return 1
    demo_rc=0
    demo_send || demo_rc=1
    demo_check || demo_rc=1
    /usr/bin/python3 -B "$here/lab.d/demo-result.py" "$dir" "$trades" ${opt_json:+"$opt_json"} &&
        return "$demo_rc"
}

demo() {
    dir=${opt_dir:-$top/build/demo}
    opt_shards=${opt_shards:-4}
    trades=${opt_trades:-2000}
    batch=${opt_batch:-64}
    packages_ensure build run
    [ -n "$opt_no_build$opt_bin" ] || build_or_die "${opt_preset:-release}"
    demo_fresh
    trap 'trap - EXIT; demo_end; exit 130' INT
    trap 'trap - EXIT; demo_end; exit 143' TERM HUP
    trap 'demo_end' EXIT
    mkdir -p "$dir"
    remember demo 1
    say "starting a broker, $opt_shards shards, a router and nodes in $dir"
    instance_up
    failed=0
    demo_run || failed=1
    if [ -n "$opt_keep" ]; then
        trap - INT TERM HUP EXIT
        say "kept: deploy/lab status --dir $dir; deploy/lab down --dir $dir"
    else
        trap - EXIT
        demo_end
    fi
    return "$failed"
}
