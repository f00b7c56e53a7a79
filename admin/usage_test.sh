#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage_test.sh STE-ADMIN: exit codes and what goes where, without any broker or database.
set -u
admin=$1
failed=0

# expect CODE WORD ARGUMENT…: exit code, and a word in what was printed.
expect() {
    code=$1 word=$2
    shift 2
    printed=$("$admin" "$@" 2>&1)
    got=$?
    case $printed in
    *"$word"*) ;;
    *) echo "ste-admin $*: no '$word' in: $printed" && failed=1 ;;
    esac
    [ "$got" -eq "$code" ] || { echo "ste-admin $*: exit $got, not $code" && failed=1; }
}

expect 0 topology --help
expect 0 "ste-admin " --version
expect 2 Usage
expect 2 "unknown command or option nonsense" nonsense
expect 2 "unknown command or option --nonsense" --nonsense
expect 0 --check topology --help
expect 0 --check --config x topology --help
expect 2 Usage topology
expect 2 Usage topology --nonsense --config x
expect 2 Usage topology --config x extra
expect 2 Usage --config
expect 1 /nowhere/cluster.yaml topology --config /nowhere/cluster.yaml
expect 1 /nowhere/cluster.yaml --config=/nowhere/cluster.yaml topology
expect 1 /nowhere/cluster.yaml --config /nowhere/cluster.yaml topology --check
exit $failed
