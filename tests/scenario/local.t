#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that are opened with RTLD_LOCAL, as extensions of Python are, each with an OpenMP runtime of its own: regions in
# each have their opener's context, and each calls its own runtime.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a build with sanitizers'
libs=$builddir/lib/.libs
[ -e "$libs/libheddle-inherit.so" ] || skip_all 'no shared libheddle-inherit'
cat >"$tmp/team.c" <<'C'
#include <heddle.h>
#include <omp.h>
/* How many members of a team of three see another number of threads in their context than WANTED; 100 where the team is wrong. */
int wrong_members(int wanted);
int wrong_members(int wanted)
{
  int wrong = 0, seen = 0;
#pragma omp parallel num_threads(3)
  {
    hed_context_info info = { .struct_size = sizeof info };
#pragma omp barrier
    if (hed_context_query(NULL, &info) != HED_OK || info.threads != wanted)
#pragma omp atomic
      wrong++;
#pragma omp atomic
      seen += 1 + omp_get_thread_num();
  }
  return seen == 6 ? wrong : 100;
}
C
cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <heddle.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
  int (*wrong[2])(int) = { NULL, NULL };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    return 2;
  for (int k = 1; k < argc && k < 3; k++) {
    void *h = dlopen(argv[k], RTLD_NOW | RTLD_LOCAL), *p = h ? dlsym(h, "wrong_members") : NULL;
    if (!p) {
      printf("%s\n", dlerror());
      return 3;
    }
    memcpy(&wrong[k - 1], &p, sizeof p);
  }
  for (int round = 0; round < 4; round++)
    for (int k = 0; k < argc - 1; k++) {
      char spec[32];
      snprintf(spec, sizeof spec, ";threads=%d", 5 + round);
      HED_BACKEND_CONTEXT_OR(spec, return 4)
        printf("%d", wrong[k](5 + round));
    }
  printf("\n");
  return 0;
}
C
compile() { # COMPILER OUT
  $1 -std=gnu11 -O1 -fopenmp -shared -fPIC -I"$srcdir/include" -I"$builddir/include" "$tmp/team.c" -o "$tmp/$2" \
    "$libs/libheddle.so" -Wl,-rpath,"$libs" 2>"$tmp/err"
}
$CC -std=gnu11 -I"$srcdir/include" -I"$builddir/include" "$tmp/main.c" -o "$tmp/main" \
  -Wl,--push-state,--no-as-needed "$libs/libheddle-inherit.so" -Wl,--pop-state "$libs/libheddle.so" -ldl -Wl,-rpath,"$libs" || exit 99
compile "$CC" one.so || skip_all 'no OpenMP'
is "$(timeout 60 "$tmp/main" "$tmp/one.so" 2>&1)" 0000 'a runtime that came with a library opened locally'
if command -v clang >/dev/null && compile clang two.so; then
  is "$(timeout 60 "$tmp/main" "$tmp/one.so" "$tmp/two.so" 2>&1)" 00000000 'two runtimes in one process'
  is "$(timeout 60 "$tmp/main" "$tmp/two.so" "$tmp/one.so" 2>&1)" 00000000 'the other one first'
else
  skip 'no clang with a runtime'
  skip 'no clang with a runtime'
fi
is "$(HEDDLE_INHERIT=0 timeout 60 "$tmp/main" "$tmp/one.so" 2>&1)" 2222 'switched off: the other two members follow the root'
done_testing
