# SPDX-License-Identifier: BSD-3-Clause
# C++ with pkg-config, Meson where it is; and a copy of the library in another place, which finds its own modules only.
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

# The library without its modules, elsewhere; 70_moved.sh has all of it there.
moved_lib=$tmp/moved/lib
mkdir -p "$moved_lib"
cp -P "$libdir"/libheddle*.so* "$moved_lib"
(LD_LIBRARY_PATH=$moved_lib && export LD_LIBRARY_PATH && "$bindir/heddle" info) >"$tmp/out" 2>&1
none "$(grep "^    $plugindir" "$tmp/out")" "a copy never finds another installation's modules"
(cd "$moved_lib" && LD_LIBRARY_PATH=. && export LD_LIBRARY_PATH && "$bindir/heddle" info) >"$tmp/out" 2>&1
none "$(grep "^    $plugindir" "$tmp/out")" 'also when it was opened by a relative name'

if [ -e "$libdir/heddle/teams/openmp.so" ]; then
  HEDDLE_TEAM=openmp "$bindir/heddle" info >"$tmp/out" 2>&1
  grep -q '^  cpu  ready' "$tmp/out"
  ok $? 'the team of an OpenMP runtime is found by its name'
else
  skip 'no OpenMP, or no cpu backend'
fi

if command -v meson >/dev/null && [ "$HED_CXX17" = yes ]; then
  cp -R "$examples" "$tmp/examples"
  (cd "$tmp/examples/meson" && meson setup made && meson compile -C made) >"$tmp/out" 2>&1 &&
    "$tmp/examples/meson/made/line" >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$line" 'Meson builds the example'
else
  skip 'no Meson'
fi
