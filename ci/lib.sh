# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # what is set here is used by the scripts that read it
# What the scripts of ci/ share: where the project is, what it needs, how it is built.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build/default
LOG=$ROOT/build/${0##*/}.log
mkdir -p "$ROOT/build"

# Debian packages, by what needs them.
BUILD_PACKAGES=(
  cmake g++ git ninja-build pkg-config
  libarchive-dev libbenchmark-dev libcli11-dev libfmt-dev libgmock-dev libgtest-dev libmnl-dev libssl-dev libvalijson-dev libzstd-dev
  nlohmann-json3-dev
  libibverbs-dev librdmacm-dev librpma-dev
)
MACHINE_PACKAGES=(busybox-static dropbear-bin ibverbs-providers iproute2 openssh-client qemu-system-x86 xz-utils)
# chromium and python3 look at the report page, rdmacm-utils and ibverbs-utils prove the rxe link, gdb and valgrind
# replay under themselves, perl (its prove) and libxml2-utils read reports, python3-yaml and yamllint the templates,
# clang-14 fuzzes, openssl and python3-jsonschema say what others make of keys and schemas; the others check the code.
TEST_PACKAGES=(
  binutils chromium clang-14 clang-format-14 clang-tidy-14 gdb ibverbs-utils libxml2-utils openssl perl python3
  libclang-rt-14-dev python3-jsonschema python3-yaml rdmacm-utils shellcheck valgrind yamllint
)

BENCH_PACKAGES=(fiu-utils)

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# Installs those of the named packages that are missing; needs root only where some are.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "missing packages; run as root: apt-get install ${missing[*]}"
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || die "apt-get update failed; is a Debian mirror reachable?"
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$LOG" 2>&1 || {
    tail -n 20 "$LOG" >&2
    die "apt-get install failed; its last words are above"
  }
}

# The kernel of the rxe machine is fetched by apt, which needs its lists.
refresh_package_lists() {
  apt-cache show linux-image-amd64 >/dev/null 2>&1 || apt-get update -qq ||
    die "apt-get update failed; is a Debian mirror reachable?"
}

# Configures a preset and builds it, or the named target of it. Quiet where it works.
build() {
  local preset=$1 target=${2:-all}
  say "building ($preset)"
  if ! (cd "$ROOT" && cmake --preset "$preset" && cmake --build --preset "$preset" --target "$target") >"$LOG" 2>&1; then
    grep -E -A 5 'error|FAILED|CMake Error' "$LOG" | head -n 60 >&2
    die "the build failed; all of it is in $LOG"
  fi
}
