# SPDX-License-Identifier: Apache-2.0
# Which Debian packages are missing, and their installation.
# shellcheck shell=sh

packages_wanted() { # GROUP...: build, run, test, bench
    for group in "$@"; do
        awk -v group="$group" '$1 !~ /^#/ && $2 == group { print $1 }' "$top/deploy/packages.list"
    done
}

packages_missing() { # GROUP...
    for package in $(packages_wanted "$@"); do
        # ${Status} is dpkg's, not the shell's.
        # shellcheck disable=SC2016
        case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
        'install ok installed') ;;
        *) echo "$package" ;;
        esac
    done
}

packages_ensure() { # GROUP...
    command -v dpkg-query >/dev/null || die "this needs Debian: dpkg is not there"
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086
    set -- $missing
    say "installing $# Debian packages: $*"
    if [ "$(id -u)" = 0 ]; then
        sh "$top/deploy/lab.d/install-packages" "$@" || die "the packages could not be installed"
    elif command -v sudo >/dev/null; then
        sudo sh "$top/deploy/lab.d/install-packages" "$@" ||
            die "the packages could not be installed with sudo"
    else
        die "neither root nor sudo: as root run  sh $top/deploy/lab.d/install-packages $*"
    fi
}
