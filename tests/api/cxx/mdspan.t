#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Host views as std::mdspan, where a compiler with a library that has it is found: $CXX, or clang++ with libc++.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../../..}/tests/tap.sh"
needs_packages
[ -e "$builddir/include/heddle/ops.hpp" ] || skip_all 'no <heddle/ops.hpp>'

cat >"$tmp/has.cc" <<'CXX'
#include <mdspan>
#ifndef __cpp_lib_mdspan
#error "none"
#endif
int main() { return 0; }
CXX
compiler=
for c in "$CXX -std=c++23" 'clang++ -std=c++23 -stdlib=libc++' \
  'clang++-22 -std=c++23 -stdlib=libc++' 'clang++-19 -std=c++23 -stdlib=libc++'; do
  $c "$tmp/has.cc" -o "$tmp/has" >/dev/null 2>&1 && compiler=$c && break
done
[ -n "$compiler" ] || skip_all 'no compiler with <mdspan>'

cat >"$tmp/view.cc" <<'CXX'
#include <heddle/heddle.hpp>
#include <cstdio>

int main()
{
  hed::array grid = hed::reshape(hed::arange(0, 12, 1, HED_FLOAT32), { 3, 4 });
  auto turned = hed::transpose(grid).view<const float, 2>().mdspan();
  bool same = turned.extent(0) == 4 && turned.extent(1) == 3;
  for (std::int64_t i = 0; i < turned.extent(0); i++)
    for (std::int64_t j = 0; j < turned.extent(1); j++)
      same = same && turned[i, j] == float(4 * j + i);
  grid.view<float, 2>().mdspan()[2, 1] = -1;
  std::printf("%s %g\n", same ? "same" : "other", grid.view<const float, 2>()(2, 1));
  return 0;
}
CXX
# shellcheck disable=SC2046
out=$($compiler -Wall -Wextra -Wpedantic -Werror $($PKG_CONFIG --cflags heddle-core) "$tmp/view.cc" -o "$tmp/view" \
  $($PKG_CONFIG --libs heddle-core) 2>&1)
ok $? "compiles by $compiler"
diag "$out"
is "$("$tmp/view")" 'same -1' 'elements through strides, read and written'
done_testing
