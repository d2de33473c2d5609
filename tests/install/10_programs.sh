# SPDX-License-Identifier: BSD-3-Clause
# Programs in C and C++, and the promise of the .pc files: heddle lets plain pthread_create
# inherit, also under --as-needed; heddle-core leaves it alone; heddle-kits brings heddle with it.

$PKG_CONFIG --exists heddle heddle-core heddle-kits
ok $? 'pkg-config knows heddle, heddle-core and heddle-kits'
is "$($PKG_CONFIG --modversion heddle)" "$version" 'with the version'

build hello heddle "$here/hello.c" && runs hello
ok $? 'a C program'
is "$(cat "$tmp/out")" '11 22 33' 'and what it computes'
build hello-core heddle-core "$here/hello.c" && runs hello-core
ok $? 'the same with heddle-core'

build inherit heddle "$here/inherit.c" && runs inherit
is "$(cat "$tmp/out")" 'reference;7' 'a plain pthread_create inherits'
build inherit heddle "$here/inherit.c" -Wl,--as-needed && runs inherit
is "$(cat "$tmp/out")" 'reference;7' 'also when linked with --as-needed'
(HEDDLE_INHERIT=0 && export HEDDLE_INHERIT && runs inherit)
is "$(cat "$tmp/out")" 'follows' 'not with HEDDLE_INHERIT=0'
build inherit-core heddle-core "$here/inherit.c" && runs inherit-core
is "$(cat "$tmp/out")" 'follows' 'not with heddle-core'
(LD_PRELOAD=$libdir/libheddle-inherit.so && export LD_PRELOAD && runs inherit-core)
is "$(cat "$tmp/out")" 'reference;7' 'with heddle-core and the interposer preloaded'

build kits heddle-kits "$here/kits.c" && runs kits
is "$(cat "$tmp/out")" '90 on reference' 'a program that uses a kit, with a thread that inherits'

if [ "$HED_CXX17" = yes ]; then
  build hello-cxx heddle "$here/hello.cc" && runs hello-cxx
  ok $? 'a C++ program'
  is "$(cat "$tmp/out")" '11 22 33
reference;7' 'and what it computes, with a std::thread that inherits'
else
  skip 'no C++17 compiler'
  skip 'no C++17 compiler'
fi

share=${bindir%/bin}/share
for f in doc/heddle/README doc/heddle/NEWS doc/heddle/COPYING doc/heddle/examples/01_contexts.c \
  doc/heddle/examples/cmake/CMakeLists.txt bash-completion/completions/heddle zsh/site-functions/_heddle \
  fish/vendor_completions.d/heddle.fish; do [ -s "$share/$f" ] || echo "$share/$f"; done >"$tmp/lacking"
none "$(cat "$tmp/lacking")" 'examples, what to read first, and completions are installed'
[ -x "$bindir/heddle" ]
ok $? 'the tool is installed'
"$bindir/heddle" --version >"$tmp/out" 2>&1
ok $? 'and runs'
grep -q "^heddle .*$version" "$tmp/out"
ok $? 'and says its version'
