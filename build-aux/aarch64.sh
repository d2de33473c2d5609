# SPDX-License-Identifier: BSD-3-Clause
# What ./selftest needs to build for aarch64 and to run that: a cross compiler, an emulator, and libraries
# unpacked from Debian's packages, without making the machine one of two architectures.  Sourced after setup.sh.

aarch64_packages='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
aarch64_libraries='libfftw3-dev libfftw3-double3 libfftw3-single3
  libopenblas-pthread-dev libopenblas0-pthread libgfortran5'

# aarch64_root DIR: unpacks them; false, with the reason on stdout, when they cannot be had.
aarch64_root() {
  local dir=$1 options p
  [ ! -e "$dir/complete" ] || return 0
  rm -rf "$dir"
  mkdir -p "$dir/lists/partial" "$dir/root"
  : >"$dir/status"
  options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$dir/lists"
    -o Dir::State::status="$dir/status" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  # shellcheck disable=SC2086
  (cd "$dir" && apt-get "${options[@]}" update && apt-get "${options[@]}" download $aarch64_libraries) \
    >"$dir/apt.log" 2>&1 || { echo "libraries for arm64: $(tail -1 "$dir/apt.log")"; return 1; }
  for p in "$dir"/*.deb; do
    dpkg-deb -x "$p" "$dir/root" || { echo "$p cannot be unpacked"; return 1; }
  done
  : >"$dir/complete"
}

# aarch64_options DIR: what configure is called with, a word a line.
aarch64_options() {
  local usr=$1/root/usr triplet=aarch64-linux-gnu
  printf '%s\n' --host=$triplet CC=$triplet-gcc CXX=false PKG_CONFIG=false --without-libzip --without-cairo \
    --with-blas=openblas "CPPFLAGS=-I$usr/include -I$usr/include/$triplet -I$usr/include/$triplet/openblas-pthread" \
    "LDFLAGS=-L$usr/lib/$triplet -L$usr/lib/$triplet/openblas-pthread -Wl,-rpath-link,$usr/lib/$triplet" \
    'CFLAGS=-O1 -g1'
}

# aarch64_emulator DIR: the command that runs a program of it.
aarch64_emulator() {
  local lib=$1/root/usr/lib/aarch64-linux-gnu
  echo "qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$lib:$lib/openblas-pthread"
}
