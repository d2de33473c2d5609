// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's random kernel: the element at C-order index i is the i-th of the draw whatever the layout. */
#include "kernel.h"

int32_t ref_random(void *state, const hed_call *call);

static int32_t draw(operand *x, const hed_random_params *p)
{
  return kernel_call(ref_random, HED_OP_RANDOM, x->view.dtype, p, 1, &x, 0, NULL);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int dtype = HED_ID_BOOL; dtype < HED_ID_COMPLEX64; dtype++)
    for (int kind = HED_RANDOM_BITS; kind <= HED_RANDOM_INTEGERS; kind++) {
      bool real = kind == HED_RANDOM_UNIFORM || kind == HED_RANDOM_NORMAL;
      if (real != (dtype >= HED_ID_FLOAT16))
        continue;
      hed_random_params p = { .kind = kind, .key = gen_u64(&g), .draw = 3, .a = 0, .b = 1, .low = -5, .span = 11 };
      int64_t dim[3] = { 7, gen_int(&g, 1, 40), 9 }, n = 63 * dim[1];
      operand whole = operand_new(NULL, dtype, 1, &n), other = operand_new(&g, dtype, 3, dim);
      is_int(draw(&whole, &p), HED_OK, "%s, kind %d", kernel_name[dtype], kind);
      is_int(draw(&other, &p), HED_OK, "%s, kind %d, any layout", kernel_name[dtype], kind);
      int64_t wrong = -1;
      for (int64_t k = 0; k < n && wrong < 0; k++)
        if (memcmp(operand_at(&whole, k), operand_at(&other, k), (size_t)kernel_size[dtype]) != 0)
          wrong = k;
      is_int(wrong, -1, "the first element that differs");
      ok(operand_free(&whole) && operand_free(&other), "nothing else written");
    }
  int64_t none[2] = { 3, 0 };
  operand e = operand_new(NULL, HED_ID_FLOAT32, 2, none);
  hed_random_params p = { .kind = HED_RANDOM_NORMAL, .b = 1 };
  is_int(draw(&e, &p), HED_OK, "an empty array");
  operand_free(&e);
  return done();
}
