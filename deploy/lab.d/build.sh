# SPDX-License-Identifier: Apache-2.0
# Builds a preset of CMakePresets.json into build/PRESET.
# shellcheck shell=sh

build_preset() { # PRESET [TARGET...]
    mkdir -p "$top/build"
    build_configure "$1" && build_targets "$@"
}

build_configure() { # PRESET
    run cmake -S "$top" --preset "$1" >"$top/build/$1.log" 2>&1
}

build_targets() { # PRESET [TARGET...]: all without one
    build_name=$1
    shift
    run cmake --build "$top/build/$build_name" ${1:+--target "$@"} >>"$top/build/$build_name.log" 2>&1
}

build_or_die() { # PRESET
    say "building (preset $1, log: $top/build/$1.log)"
    if ! build_preset "$1"; then
        show_log "$top/build/$1.log" 30
        die "the build failed (log: $top/build/$1.log)"
    fi
}
