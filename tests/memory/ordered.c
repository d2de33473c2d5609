// SPDX-License-Identifier: BSD-3-Clause
/* A device that does all that is submitted in its order (HED_PLUGIN_ORDERED): a block is handed out again as soon as it is
 * released, before the device has read it for the last time, and values are right all the same. L5. */
#include "memory.h"
#include <math.h>

enum { COUNT = 1 << 20, ROUNDS = 20 };

static bool all_are(const hed_array *x, float want)
{
  static float v[COUNT];
  if (!x || hed_to_host(x, v, sizeof v) != HED_OK)
    return false;
  for (int k = 0; k < COUNT; k++)
    if (v[k] != want)
      return false;
  return true;
}

int main(void)
{
  setenv("HEDDLE_POOL", "256", 1);
  setenv("HEDDLE_TEST_FAULTY", "ordered=1", 1);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend");
  is_int(query("ordered"), 1, "the device is ordered");
  HED_BACKEND_CONTEXT("faulty") {
    hed_array *x = hed_full(HED_SHAPE(COUNT), 2, HED_FLOAT32);
    (void)hed_wait(x);
    control("hold=1");
    hed_array *y = hed_negative(x);
    hed_memory_info before = memory_of("faulty");
    hed_release(x);
    hed_memory_info after = memory_of("faulty");
    is_uint(after.in_flight, 0, "an operand that the device is still to read is not set aside");
    is_uint(after.cached - before.cached, COUNT * sizeof(float), "but kept");
    hed_array *z = hed_full(HED_SHAPE(COUNT), 9, HED_FLOAT32);
    is_uint(memory_of("faulty").n_hit - after.n_hit, 1, "and handed out at once");
    ok(all_are(y, -2), "what was computed from it is right");
    ok(all_are(z, 9), "so is what took its place");
    control("hold=0");
    hed_release(z);

    /* y = -y over and over: two blocks are enough, each written while its last reader waits in the queue */
    uint64_t hits = memory_of("faulty").n_hit;
    bool good = true;
    for (int k = 0; k < ROUNDS; k++) {
      hed_array *next = hed_negative(y);
      hed_release(y);
      y = next;
      if (k % 7 == 6)
        good &= all_are(y, k % 2 ? -2 : 2);
    }
    ok(good && all_are(y, -2), "a chain through few blocks");
    is_uint(memory_of("faulty").n_hit - hits, ROUNDS, "all of which are found");
    hed_release(y);
    is_int(hed_synchronize("faulty"), HED_OK, "synchronize");
    is_uint(memory_of("faulty").in_use, 0, "nothing is left");
  }
  return done();
}
