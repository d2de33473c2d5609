// SPDX-License-Identifier: BSD-3-Clause
/* Devices: counting, listing, choosing, what they can do. L5. */
#include "scenario.h"

static void test_host(void)
{
  const char *names[64] = { NULL };
  is_int(hed_device_count("reference"), 1, "one device");
  is_int(hed_device_count(NULL), 1, "of the current backend");
  is_int(hed_device_count("nosuch"), HED_E_NOTFOUND, "a backend that is not there");
  ok(hed_is_available("reference") && hed_is_available("REFERENCE:0"), "usable, by either name");
  hed_error_clear();
  ok(!hed_is_available("reference:1") && !hed_is_available("nosuch") && !hed_is_available("") && !hed_is_available(NULL) &&
       !hed_is_available(";threads=1"), "not usable");
  is_int(hed_error(), HED_OK, "which is no error");
  int n = hed_available_devices(names, 64), found = 0;
  for (int k = 0; k < n; k++)
    found += strcmp(names[k], "reference") == 0;
  is_int(found, 1, "the list of devices has it once");
  ok(n >= 1 && hed_available_devices(NULL, 0) == n, "and as many without room (%d)", n);
  is_int(hed_error(), HED_OK, "backends that are not usable leave no error");
  if (hed_is_available("cpu"))
    ok(strcmp(names[n - 1], "cpu") != 0, "the best come first");
  else
    skip(1, "no cpu backend");
  hed_array *x = hed_ones(HED_SHAPE(2), HED_FLOAT32);
  is_str(hed_get_device(x), "reference", "an array's device");
  is_str(hed_get_device(NULL), "", "of no array");
  hed_release(x);
  is_int(hed_set_device(0), HED_OK, "the only one can be set");
  is_int(hed_set_device(1), HED_E_NOTFOUND, "no other");
  is_int(hed_set_device(-1), HED_E_INVAL, "none below 0");
  has_str(hed_error_text(), "-1", "the sentence has it");
  is_str(hed_get_backend(), "reference", "the backend stays");
  static const struct { const char *what; int want; } list[] = {
    { "complex", 1 }, { "complex128", 1 }, { "Float64", 1 }, { "bfloat16", 1 }, { "gpu", 0 }, { "host", 1 }, { "async", 0 },
    { "sparse", 0 }, { "jit", 0 }, { "device", 1 }, { "quantum", HED_E_INVAL },
  };
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
    is_int(hed_device_supports("reference", list[k].what), list[k].want, "supports %s", list[k].what);
  has_str(hed_error_text(), "quantum", "what is not known is named");
  is_int(hed_device_supports("reference", NULL), HED_E_INVAL, "supports nothing");
  is_int(hed_device_supports("reference:3", "gpu"), HED_E_NOTFOUND, "a device that is not there");
}

static void test_devices(void)
{
  is_int(hed_device_count("faulty"), 2, "two devices");
  is_int(hed_device_supports("faulty:1", "gpu"), 1, "with memory of their own");
  is_int(hed_device_supports("faulty", "async"), 1, "asynchronous");
  is_int(hed_device_supports("faulty", "float64"), 0, "without float64");
  HED_BACKEND_CONTEXT("faulty;threads=5") {
    is_int(hed_device_count(NULL), 2, "of the current backend");
    HED_DEVICE(1) {
      is_str(hed_get_backend(), "faulty:1", "a block on another device");
      is_int(here(), 5, "with the rest of the context");
      hed_array *x = hed_ones(HED_SHAPE(2), HED_FLOAT32);
      is_str(hed_get_device(x), "faulty:1", "and its arrays");
      hed_release(x);
    }
    is_str(hed_get_backend(), "faulty:0", "back again");
    int ran = 0;
    HED_DEVICE(2) ran = 1;
    is_int(ran, 0, "no block on a device that is not there");
    is_int(hed_set_device(1), HED_OK, "set");
    is_str(hed_get_backend(), "faulty:1", "for the frame");
    ok(hed_synchronize(NULL) == HED_OK && hed_synchronize("faulty:0") == HED_OK, "nothing to wait for");
  }
  is_str(hed_get_backend(), "reference", "no longer");
}

int main(void)
{
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_host();
  if (hed_is_available("faulty"))
    test_devices();
  else
    skip(14, "no faulty backend");
  return done();
}
