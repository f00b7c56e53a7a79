# SPDX-License-Identifier: Apache-2.0
# Builds a preset of CMakePresets.json into build/PRESET.
# shellcheck shell=sh

build_preset() { # PRESET [TARGET...]
    build_log=$top/build/$1.log
    build_name=$1
    shift
    mkdir -p "$top/build"
    (
        cd "$top"
        cmake --preset "$build_name" &&
            cmake --build --preset "$build_name" ${1:+--target "$@"}
    ) >"$build_log" 2>&1
}

build_or_die() { # PRESET
    say "building (preset $1, log: $top/build/$1.log)"
    if ! run build_preset "$1"; then
        show_log "$top/build/$1.log" 30
        die "the build failed (log: $top/build/$1.log)"
    fi
}
