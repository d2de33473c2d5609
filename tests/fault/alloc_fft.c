// SPDX-License-Identifier: BSD-3-Clause
/* Transforms that cut, or write into arrays of the caller, plans and wisdom, with every allocation failing
 * in turn, on each host backend: see fault.h. L5. */
#include "fault.h"

static hed_array *x, *z, *half, *row; /* operands: real, complex, half a spectrum, one axis */
static hed_array *longer, *complexes; /* to write into */
static hed_fft_plan *transform;
static char path[96];

#define FORWARD(X) X(fft1, 5) X(fft2, 2, 5) X(fftn, 2, 5) X(ifft1, 5) X(ifft2, 2, 5) X(ifftn, 2, 5)
#define REAL(X) X(rfft1, 5) X(rfft2, 2, 5) X(rfftn, 2, 5) X(ihfft1, 5) X(ihfft2, 2, 5) X(ihfftn, 2, 5)
#define BACK(X) X(irfft1, 5) X(irfft2, 2, 5) X(irfftn, 2, 5) X(hfft1, 5) X(hfft2, 2, 5) X(hfftn, 2, 5)
#define OF_COMPLEX(name, ...) \
  static result do_##name##_cut(void) { return given(hed_##name(x, &(hed_fft){ .s = HED_SHAPE(__VA_ARGS__) })); } \
  static result do_##name##_into(void) { KEPT(complexes, hed_##name##_into(complexes, z, NULL)); }
#define OF_REAL(name, ...) \
  static result do_##name##_cut(void) { return given(hed_##name(x, &(hed_fft){ .s = HED_SHAPE(__VA_ARGS__) })); } \
  static result do_##name##_into(void) { KEPT(half, hed_##name##_into(half, x, NULL)); }
#define OF_HALF(name, ...) \
  static result do_##name##_cut(void) { return given(hed_##name(z, &(hed_fft){ .s = HED_SHAPE(__VA_ARGS__) })); } \
  static result do_##name##_into(void) { KEPT(longer, hed_##name##_into(longer, z, NULL)); }
FORWARD(OF_COMPLEX)
REAL(OF_REAL)
BACK(OF_HALF)

static result do_plan_create(void)
{
  hed_fft_plan *p = NULL;
  hed_status s = hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(3, 4), HED_COMPLEX64, NULL, &p);
  if (s != HED_OK && p)
    fail("fft_plan_create: a plan with an error");
  hed_fft_plan_release(p);
  return status(s);
}
static result do_plan_create_for(void)
{
  hed_fft_plan *p = NULL;
  hed_status s = hed_fft_plan_create_for(HED_OP_RFFTN, x, half, NULL, &p);
  if (s != HED_OK && p)
    fail("fft_plan_create_for: a plan with an error");
  hed_fft_plan_release(p);
  return status(s);
}
static result do_plan_run(void) { return given(hed_fft_plan_run(transform, z)); }
static result do_plan_run_into(void) { KEPT(complexes, hed_fft_plan_run_into(transform, complexes, z)); }

static result do_convolve_rows(void) { return given(hed_convolve(row, row, HED_CONVOLVE_FULL)); }

static const entry entries[] = {
#define E(f) { #f, do_##f },
#define FAMILY(f, ...) E(f##_cut) E(f##_into)
  FORWARD(FAMILY) REAL(FAMILY) BACK(FAMILY)
  E(plan_create) E(plan_create_for) E(plan_run) E(plan_run_into) E(convolve_rows)
#undef E
};

/* ---- wisdom: cpu only ---- */

static result do_wisdom_save(void)
{
  unlink(path);
  result r = status(hed_fft_wisdom_save(path));
  if (r == FAILED && access(path, F_OK) == 0)
    fail("fft_wisdom_save: a file is left");
  return r;
}
static result do_wisdom_load(void) { return status(hed_fft_wisdom_load(path)); }
static result do_wisdom_forget(void) { return status(hed_fft_wisdom_forget()); }
static result do_wisdom_path(void)
{
  char buf[4096];
  return status(hed_fft_wisdom_path(buf, sizeof buf));
}

static const entry wisdom[] = {
  { "wisdom_save", do_wisdom_save }, { "wisdom_load", do_wisdom_load }, { "wisdom_forget", do_wisdom_forget },
  { "wisdom_path", do_wisdom_path },
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  const char *tmp = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/heddle-fault-%d.wisdom", tmp && strlen(tmp) < 40 ? tmp : "/tmp", (int)getpid());
  for (int b = 0; b < 2; b++) {
    if (!fault_on(backends[b]))
      continue;
    x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
    z = hed_astype(x, HED_COMPLEX64);
    half = hed_zeros(HED_SHAPE(3, 3), HED_COMPLEX64);
    row = hed_index(x, 0, 1);
    complexes = hed_zeros(HED_SHAPE(3, 4), HED_COMPLEX64);
    longer = hed_zeros(HED_SHAPE(3, 6), HED_FLOAT32);
    if (!x || !z || !half || !row || !complexes || !longer ||
        hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(3, 4), HED_COMPLEX64, NULL, &transform) != HED_OK)
      bail("setting up: %s", hed_error_text());
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
      storm(&entries[k]);
    if (b == 1)
      for (size_t k = 0; k < sizeof wisdom / sizeof wisdom[0]; k++)
        storm(&wisdom[k]);
    hed_array *const all[] = { x, z, half, row, complexes, longer };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
      hed_release(all[k]);
    hed_fft_plan_release(transform);
  }
  unlink(path);
  return done();
}
