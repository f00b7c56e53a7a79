# SPDX-License-Identifier: Apache-2.0
# Every test, in steps: builds, unit tests plain and under sanitizers, fuzzing, then the lab itself
# from outside. Each step leaves a log and a JUnit file in build/test; the last line is the sum.
# shellcheck shell=sh

test_dir=$top/build/test

seconds_now() { date +%s; }

# Runs one step and notes its time; a failed one does not end the run, all of it is wanted.
step() { # NAME COMMAND...
    step_name=$1
    shift
    step_begin=$(seconds_now)
    step_state=ok
    "$@" || step_state=FAILED
    step_seconds=$(($(seconds_now) - step_begin))
    printf '%-14s %5s s  %s\n' "$step_name" "$step_seconds" "$step_state" >>"$test_dir/steps"
    say "$step_name: $step_state, $step_seconds s"
    [ "$step_state" = ok ]
}

# Notes a failed part, so that it counts even where no test of it could say so.
test_failed() { # NAME LOG
    show_log "$2" 40
    echo "$1" >>"$test_dir/failed"
    return 1
}

test_build() { # PRESET [TARGET...]
    build_preset "$@" || test_failed "build-$1" "$top/build/$1.log"
}

test_ctest() { # PRESET NAME [CTEST OPTION...]
    preset=$1
    name=$2
    shift 2
    run ctest --test-dir "$top/build/$preset" --output-on-failure --no-tests=error -j 2 \
        --output-junit "$test_dir/$name.xml" "$@" >"$test_dir/$name.log" 2>&1 ||
        test_failed "$name" "$test_dir/$name.log"
}

# Tests of libraries against a real broker and shard (label live), under the sanitizers. A socket's
# path has at most 107 bytes; the tests run in the top folder, so a relative one is as good.
test_live() {
    opt_services=1 opt_shards=1
    (instance_up) >"$test_dir/lab-live.log" 2>&1 ||
        test_failed lab-live "$test_dir/lab-live.log" || return 1
    STE_TEST_SHARD=build/lab-live/shard-0/data/mysql.sock
    STE_TEST_SHARD_USER=$(id -un)
    STE_TEST_BROKER=127.0.0.1:$(port amqp):ste-admin:$dir/secrets/broker-admin
    STE_TEST_MANAGEMENT=http://127.0.0.1:$(port management)
    export STE_TEST_SHARD STE_TEST_SHARD_USER STE_TEST_BROKER STE_TEST_MANAGEMENT
    live_rc=0
    # Where a build failed, that is told already. Only the shard's tests have several threads.
    [ ! -f "$test_dir/asan.xml" ] || test_ctest asan live-asan -L live -j 1 || live_rc=1
    [ ! -f "$test_dir/tsan.xml" ] || test_ctest tsan live-tsan -L live -R '^dbshard_' || live_rc=1
    test_end
    return "$live_rc"
}

# Only the fuzz targets are built with clang: their names are the names of their tests.
test_fuzz_build() {
    build_configure fuzz || test_failed build-fuzz "$top/build/fuzz.log" || return 1
    targets=$(ctest --test-dir "$top/build/fuzz" -L fuzz -N | sed -n 's/^ *Test *#[0-9]*: //p')
    # shellcheck disable=SC2086
    test_build fuzz $targets
}

# Fuzzing takes what the integration tests, which mostly wait, leave of the processors. What crashed
# a target is kept in build/test/fuzz.
test_fuzz_start() {
    export STE_FUZZ_ARTIFACTS="$test_dir/fuzz"
    spawn nice -n 19 ctest --test-dir "$top/build/fuzz" --output-on-failure --no-tests=error -j 2 \
        --output-junit "$test_dir/fuzz.xml" -L fuzz >"$test_dir/fuzz.log" 2>&1
    fuzz=$child
}

test_fuzz_end() {
    await "$fuzz" || test_failed fuzz "$test_dir/fuzz.log"
}

test_pytest() { # FOLDER of tests/
    run /usr/bin/python3 -B -m pytest -p no:cacheprovider -q -rfEs --durations=10 \
        --rootdir "$top/tests/$1" --junitxml "$test_dir/$1.xml" "$top/tests/$1" \
        >"$test_dir/$1.log" 2>&1 ||
        test_failed "$1" "$test_dir/$1.log"
}

# Other instances are pytest's, which stops them itself.
test_end() {
    end_children
    unlock_instance
    (opt_kill=1 && instance_down)
}

run_tests() {
    dir=$top/build/lab-live
    packages_ensure build run test bench
    trap 'test_end; exit 130' INT
    trap 'test_end; exit 143' TERM HUP
    rm -rf "$test_dir"
    mkdir -p "$test_dir"
    begin=$(seconds_now)
    if step 'build dev' test_build dev; then
        step 'unit, tidy' test_ctest dev unit -LE 'fuzz|live' || :
    fi
    if step 'build asan' test_build asan; then
        step 'asan' test_ctest asan asan -L unit || :
    fi
    # Message codec and rules are pure and know no thread; everything else is run once more.
    if step 'build tsan' test_build tsan; then
        step 'tsan' test_ctest tsan tsan -L unit -E '^(msg|rules|cases|docs)_' || :
    fi
    step 'live' test_live || :
    fuzz=
    if step 'build fuzz' test_fuzz_build; then test_fuzz_start; fi
    if [ -x "$top/build/dev/bin/ste-node" ]; then
        step 'integration' test_pytest integration || :
        step 'fault' test_pytest fault || :
        step 'acceptance' test_pytest acceptance || :
    fi
    [ -z "$fuzz" ] || step 'fuzz (rest)' test_fuzz_end || :
    echo
    cat "$test_dir/steps"
    printf '%-14s %5s s\n\n' 'all' "$(($(seconds_now) - begin))"
    /usr/bin/python3 -B "$here/lab.d/sum-tests.py" "$test_dir"
}
