# Sourced by the scripts run beside, with their arguments: BINARY first, then what is up to them.
# shellcheck shell=bash

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=${1:-$root/.build/release/sluice}
[ $# -eq 0 ] || shift

complain() {
    echo "$*" >&2
    exit 1
}

[ -x "$binary" ] || complain "there is no $binary: make build"
SLUICE_BINARY=$(realpath "$binary") # a unit wants it absolute
export SLUICE_BINARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/Tests/Support
PATH=$root/.build-python/bin:$PATH:/usr/sbin:/sbin:$root/.build-tools/usr/bin:$root/.build-tools/usr/sbin

need() { # tool...
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null \
            || complain "$tool is missing: deploy/install-dependencies check (make check does it)"
    done
}

run_pytest() { # seconds option...
    local seconds=$1
    shift
    exec timeout "$seconds" python -m pytest -p no:cacheprovider --quiet "$@" "$here"
}
