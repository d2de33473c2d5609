# SPDX-License-Identifier: BSD-3-Clause
# The installation under another name, the old one gone: each way to it still works, and reaches nothing of the old place.
line='y = 3.00 t + 2.00, rank 2, 13 points are far'
old=$(realpath "$($PKG_CONFIG --variable=prefix heddle)")
moved=$old.moved
moved_lib=$moved${libdir#"$(dirname "$bindir")"}

# Renamed for these points; put back however they end.
back() { [ ! -d "$moved" ] || mv "$moved" "$old"; }

# from STATUS NAME: what ran used the files of the new place alone, as LD_DEBUG said in $tmp/loaded.*.
from() {
  strange=$(cat "$tmp"/loaded.* 2>/dev/null | sed -n 's/.*calling init: //p' | grep heddle | grep -v "^$moved/" | grep -v "^$tmp/")
  [ -n "$(cat "$tmp"/loaded.* 2>/dev/null)" ] || strange='nothing was loaded'
  rm -f "$tmp"/loaded.*
  [ -z "$strange" ] || diag "$strange"
  [ "$1" -eq 0 ] && [ -z "$strange" ]
  ok $? "$2"
}

# traced COMMAND...: without the loader's help, in another folder, with its output in $tmp/out.
traced() {
  (unset LD_LIBRARY_PATH && cd "$tmp" && LD_DEBUG=files LD_DEBUG_OUTPUT=$tmp/loaded "$@") >"$tmp/out" 2>"$tmp/err"
}

points=18
case $old in
/ | /usr | /usr/local | /opt) why="$old is shared with others" ;;
*) [ -w "$(dirname "$old")" ] && [ "$moved_lib" != "$moved" ] && why= || why="$old cannot be renamed" ;;
esac
[ -n "$why" ] || mv "$old" "$moved" || why="$old cannot be renamed"
if [ -n "$why" ]; then
  while [ $points -gt 0 ]; do
    skip "$why"
    points=$((points - 1))
  done
  return 0
fi
trap 'back; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
PKG_CONFIG_PATH=$moved_lib/pkgconfig

traced "$moved/bin/heddle" --version
from $? 'the tool runs'
traced "$moved/bin/heddle" info
from $? 'and looks about'
none "$(grep "$old/" "$tmp/out")" 'without a word of the old place'
[ ! -e "$moved_lib/heddle/backends/cpu.so" ] || grep -q "^    $moved_lib/heddle/backends/cpu.so\$" "$tmp/out"
ok $? 'and finds the modules beside its library'

for pc in heddle-core heddle heddle-kits; do
  source=$here/hello.c want='11 22 33'
  [ $pc != heddle-kits ] || { source=$here/kits.c want='90 on reference'; }
  build moved-$pc $pc "$source" -Wl,-rpath,"$moved_lib" && traced "$tmp/moved-$pc"
  from $? "a C program by pkg-config's $pc"
  is "$(cat "$tmp/out")" "$want" 'and what it computes'
done

if command -v cmake >/dev/null && [ "$HED_CXX17" = yes ]; then
  (cd "$tmp" && cmake -S "$srcdir/examples/cmake" -B cmade -DCMAKE_BUILD_TYPE= -DCMAKE_PREFIX_PATH="$moved" &&
    cmake --build cmade) >"$tmp/out" 2>&1 || diag "$(tail -20 "$tmp/out")"
  traced "$tmp/cmade/line"
  from $? 'a program by CMake'
  is "$(cat "$tmp/out")" "$line" 'and what it computes'
  is "$(traced "$tmp/cmade/line-core" && cat "$tmp/out")" "$line" 'also with the library alone'
  "$tmp/cmade/match" --help >/dev/null 2>&1
  readelf -d "$tmp/cmade/match" | grep -q 'NEEDED.*libheddle-kits'
  ok $? 'Heddle::kits brings the kits'
  printf 'cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C)\nfind_package(Heddle REQUIRED COMPONENTS nosuch)\n' \
    >"$tmp/CMakeLists.txt"
  (cd "$tmp" && cmake -B wrong -DCMAKE_PREFIX_PATH="$moved") >"$tmp/out" 2>&1
  is "$? $(grep -c 'no component nosuch; there are core, heddle, kits, cxx' "$tmp/out")" '1 1' 'a component that there is none of'
  rm -f "$tmp"/loaded.*
  is "$(readelf -d "$tmp/cmade/line" "$tmp/cmade/line-core" | grep -c 'NEEDED.*libheddle-inherit')" 1 \
    'Heddle::heddle keeps the interposer, Heddle::core has none'
else
  for k in 1 2 3 4 5 6; do skip 'no CMake'; done
fi

# What opens the kits by their path alone, as Python does.
if command -v python3 >/dev/null; then
  traced python3 -c "import ctypes
kits = ctypes.CDLL('$moved_lib/libheddle-kits.so.0')
kits.hed_version.restype = ctypes.c_char_p
print(kits.hed_version().decode())"
  from $? 'Python'
  is "$(cat "$tmp/out")" "$version" 'and what it is told'
else
  skip 'no Python'
  skip 'no Python'
fi
back
trap 'rm -rf "$tmp"' EXIT
