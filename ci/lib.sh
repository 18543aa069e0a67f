# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # what is set here is used by the scripts that read it
# What the scripts of ci/ share: where the project is, what it needs, how it is built.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build/default
LOG=$ROOT/build/${0##*/}.log
mkdir -p "$ROOT/build" || exit 2

# Debian packages, by what needs them.
BUILD_PACKAGES=(
  cmake g++ git ninja-build pkg-config
  libarchive-dev libbenchmark-dev libcli11-dev libelf-dev libfmt-dev libgmock-dev libgtest-dev libmnl-dev libssl-dev libvalijson-dev libzstd-dev
  nlohmann-json3-dev
  libibverbs-dev librdmacm-dev librpma-dev
)
MACHINE_PACKAGES=(busybox-static dropbear-bin ibverbs-providers iproute2 openssh-client qemu-system-x86 xz-utils)
# chromium and python3 look at the report page, rdmacm-utils and ibverbs-utils prove the rxe link, gdb and valgrind
# replay under themselves, perl (its prove) and libxml2-utils read reports, python3-yaml and yamllint the templates,
# clang-14 fuzzes, openssl, zstd and python3-jsonschema say what others make of keys, bundles and schemas; the others check the code.
TEST_PACKAGES=(
  binutils chromium clang-14 clang-format-14 clang-tidy-14 gdb go-md2man ibverbs-utils libxml2-utils mandoc openssl perl python3
  libclang-rt-14-dev python3-jsonschema python3-yaml rdmacm-utils shellcheck valgrind yamllint zstd
)

BENCH_PACKAGES=(fiu-utils)

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# last_progress: "42% what" from the last line of the log in which apt or Ninja told its progress; nothing where none did.
last_progress() {
  tail -c 4096 -- "$LOG" | tr '\r' '\n' | sed -nE \
    -e 's/^dlstatus:[^:]*:([0-9]+)[.0-9]*:(.*)$/\1% \2/p' -e 's/^pmstatus:[^:]*:([0-9]+)[.0-9]*:(.*)$/\1% \2/p' \
    -e 's/^\[ *([0-9]+%) [0-9]+\/[0-9]+\] (.*)$/\1 \2/p' | tail -n 1 | cut -c1-100
}

# Shows the progress of what writes the log, until it is ended: on a terminal in one line, elsewhere in a line a minute.
show_progress() {
  local shell=$1 began=$SECONDS next=60
  # An interrupt ends the script, but not what it started in the background.
  while kill -0 "$shell" 2>/dev/null; do
    sleep 1
    if [ -t 1 ]; then
      printf '\r\033[K   %s' "$(last_progress)"
    elif [ $((SECONDS - began)) -ge $next ]; then
      printf '   %3d s  %s\n' $((SECONDS - began)) "$(last_progress)"
      next=$((next + 60))
    fi
  done
}

# with_progress COMMAND...: runs it with its output in the log, and shows its progress.
with_progress() {
  local reader status=0
  # A redirection that fails is not noticed everywhere, and a program that was built earlier would run.
  : >"$LOG" || die "cannot write $LOG; check its owner and the free space"
  show_progress $$ &
  reader=$!
  "$@" >"$LOG" 2>&1 || status=$?
  kill "$reader" 2>/dev/null || true
  wait "$reader" 2>/dev/null || true
  [ ! -t 1 ] || printf '\r\033[K'
  return $status
}

# Installs those of the named packages that are missing; needs root only where some are.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "missing packages; run as root: apt-get install ${missing[*]}"
  say "installing ${#missing[@]} packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || die "apt-get update failed; is a Debian mirror reachable?"
  with_progress apt-get install -y -q --no-install-recommends -o APT::Status-Fd=1 "${missing[@]}" || {
    tail -n 20 "$LOG" >&2
    die "apt-get install failed; its last lines are above"
  }
}

# The kernel of the rxe machine is fetched by apt, which needs its lists.
refresh_package_lists() {
  apt-cache show linux-image-amd64 >/dev/null 2>&1 || apt-get update -qq ||
    die "apt-get update failed; is a Debian mirror reachable?"
}

configure_and_build() (
  preset=$1
  shift
  cd "$ROOT" && cmake --preset "$preset" && NINJA_STATUS='[%p %f/%t] ' cmake --build --preset "$preset" --target "$@"
)

# Configures a preset and builds it, or the named targets of it.
build() {
  local preset=$1 began=$SECONDS
  shift
  [ $# -gt 0 ] || set -- all
  say "building ($preset)"
  with_progress configure_and_build "$preset" "$@" || {
    grep -E -A 5 'error|FAILED|CMake Error' "$LOG" | head -n 60 >&2
    die "the build failed; all of it is in $LOG"
  }
  say "built in $((SECONDS - began)) s"
}

# build_tool PROVIDER: the tool, and what it runs on that provider.
build_tool() {
  local targets=(rpma-conformance)
  [ "$1" != mock ] || targets+=(rdmamock)
  build default "${targets[@]}"
}

# value_of OPTION WORD...: the value that the words give to the option; nothing where they do not name it.
value_of() {
  local option=$1 value=
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      "$option")
        value=${2:-}
        # The next option is not a value.
        case $value in '' | --*) die "$option needs a value" ;; esac
        ;;
      "$option"=*)
        value=${1#*=}
        [ -n "$value" ] || die "$option needs a value"
        ;;
    esac
    shift
  done
  printf '%s' "$value"
}
