# SPDX-License-Identifier: BSD-3-Clause
# C++ with pkg-config, CMake where it is, Meson where it is; and a copy of the installation in another place, which finds
# its own files only.
examples=$srcdir/examples
line='y = 3.00 t + 2.00, rank 2, 13 points are far'
api=$($PKG_CONFIG --variable=api heddle)
[ -s "$api" ]
ok $? "the interface as data is installed ($api)"

if [ "$HED_CXX17" = yes ]; then
  build line heddle "$examples/06_line.cc" -Wpedantic && runs line
  ok $? 'the example in C++'
  is "$(cat "$tmp/out")" "$line" 'and what it computes'
  if command -v clang++ >/dev/null; then
    (CXX=clang++ && build line-clang heddle "$examples/06_line.cc" -Wpedantic) && runs line-clang
    is "$(cat "$tmp/out")" "$line" 'the same by clang'
  else
    skip 'no clang'
  fi
else
  skip 'no C++17 compiler'
  skip 'no C++17 compiler'
  skip 'no C++17 compiler'
fi

# The libraries' folder with its neighbours, elsewhere.
prefix=$(realpath "$($PKG_CONFIG --variable=prefix heddle)")
moved=$tmp/moved
mkdir "$moved"
for d in include lib lib64 share/heddle; do
  [ -d "$prefix/$d" ] && mkdir -p "$moved/$(dirname "$d")" && cp -R "$prefix/$d" "$moved/$(dirname "$d")"
done
moved_lib=$moved${libdir#"$prefix"} # of the usual layout
(LD_LIBRARY_PATH=$moved_lib && export LD_LIBRARY_PATH && "$bindir/heddle" info) >"$tmp/out" 2>&1
grep -q "^    $moved_lib/heddle/backends/cpu.so\$" "$tmp/out" || ! [ -e "$plugindir/cpu.so" ]
ok $? 'a moved library finds the modules beside it'
mv "$moved_lib/heddle" "$moved_lib/hidden"
(LD_LIBRARY_PATH=$moved_lib && export LD_LIBRARY_PATH && "$bindir/heddle" info) >"$tmp/out" 2>&1
none "$(grep "^    $plugindir" "$tmp/out")" "and never another installation's"
(cd "$moved_lib" && LD_LIBRARY_PATH=. && export LD_LIBRARY_PATH && "$bindir/heddle" info) >"$tmp/out" 2>&1
none "$(grep "^    $plugindir" "$tmp/out")" 'also when it was opened by a relative name'
mv "$moved_lib/hidden" "$moved_lib/heddle"
is "$(PKG_CONFIG_PATH=$moved_lib/pkgconfig $PKG_CONFIG --variable=libdir heddle | xargs realpath)" "$(realpath "$moved_lib")" \
  'its .pc files know where they are'

if [ -e "$libdir/heddle/teams/openmp.so" ]; then
  HEDDLE_TEAM=openmp "$bindir/heddle" info >"$tmp/out" 2>&1
  grep -q '^  cpu  ready' "$tmp/out"
  ok $? 'the team of an OpenMP runtime is found by its name'
else
  skip 'no OpenMP, or no cpu backend'
fi

if command -v cmake >/dev/null && [ "$HED_CXX17" = yes ]; then
  (cd "$tmp" && cmake -S "$examples/cmake" -B cmade -DCMAKE_PREFIX_PATH="$moved" && cmake --build cmade) >"$tmp/out" 2>&1
  ok $? 'CMake builds against the copy'
  [ -x "$tmp/cmade/line" ] || diag "$(tail -20 "$tmp/out")"
  (unset LD_LIBRARY_PATH && "$tmp/cmade/line") >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$line" 'and the program runs'
  (unset LD_LIBRARY_PATH && "$tmp/cmade/line-core") >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$line" 'also with the library alone'
  is "$(readelf -d "$tmp/cmade/line" | grep -c 'NEEDED.*libheddle-inherit')" 1 'Heddle::heddle keeps the interposer'
  is "$(readelf -d "$tmp/cmade/line-core" | grep -c 'NEEDED.*libheddle-inherit')" 0 'Heddle::core has none'
else
  for k in 1 2 3 4 5; do skip 'no CMake'; done
fi
if command -v meson >/dev/null && [ "$HED_CXX17" = yes ]; then
  cp -R "$examples" "$tmp/examples"
  (cd "$tmp/examples/meson" && meson setup made && meson compile -C made) >"$tmp/out" 2>&1 &&
    "$tmp/examples/meson/made/line" >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$line" 'Meson builds the example'
else
  skip 'no Meson'
fi
