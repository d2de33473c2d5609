// SPDX-License-Identifier: BSD-3-Clause
// The same in C++, and a std::thread that runs in its creator's context.
#include <heddle.h>

#include <cstdio>
#include <thread>

int main()
{
  float a[] = { 1, 2, 3 }, b[] = { 10, 20, 30 }, c[3] = {};
  HED_SCOPE {
    hed_array *x = hed_from_host(a, HED_SHAPE(3), HED_FLOAT32);
    hed_array *y = hed_from_host(b, HED_SHAPE(3), HED_FLOAT32);
    hed_to_host(hed_add(x, y), c, sizeof c);
  }
  if (hed_error() != HED_OK) {
    std::fprintf(stderr, "%s\n", hed_error_text());
    return 1;
  }
  std::printf("%g %g %g\n", double(c[0]), double(c[1]), double(c[2]));
  HED_BACKEND_CONTEXT("reference;threads=7") {
    std::thread([] {
      hed_context_info info = {};
      info.struct_size = sizeof info;
      if (hed_context_query(nullptr, &info) == HED_OK)
        std::printf("%s;%d\n", info.backend, int(info.threads));
    }).join();
  }
  return 0;
}
