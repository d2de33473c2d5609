// SPDX-License-Identifier: BSD-3-Clause
/* Of program.c: functions of elementwise operations by chance, for passes. */

enum { WIDE = 4100 };

static unsigned seed, drawn;
static unsigned pick(unsigned n)
{
  drawn = drawn * 1664525u + 1013904223u;
  return (drawn >> 16) % n;
}

/* Elementwise operations by chance: on what earlier ones made, inputs, a number that changes and a constant one; with views, a sum and
 * a write in place between. */
FUNCTION(tangle)
{
  UNUSED;
  enum { LIVE = 6 };
  hed_status status = HED_OK;
  drawn = seed;
  HED_SCOPE {
    hed_array *v[LIVE];
    for (int k = 0; k < LIVE; k++)
      v[k] = (hed_array *)(uintptr_t)x[k % 2];
    for (int step = 0; step < 40 && status == HED_OK; step++) {
      hed_array *const a = v[pick(LIVE)], *const b = v[pick(LIVE)], *made = NULL;
      switch (pick(14)) {
      case 0: made = hed_add(a, b); break;
      case 1: made = hed_multiply(a, b); break;
      case 2: made = hed_subtract(a, x[2]); break;
      case 3: made = hed_sin(a); break;
      case 4: made = hed_where(hed_greater(a, b), a, hed_multiply_scalar(b, 0.5)); break;
      case 5: made = hed_maximum(a, hed_tanh(b)); break;
      case 6: made = hed_clip(a, -0.75, 0.75); break;
      case 7: made = hed_flip(a, NULL); break;
      case 8: made = hed_subtract(a, hed_mean(b, NULL)); break;
      case 9: made = hed_astype(hed_astype(hed_multiply(a, b), HED_FLOAT32), HED_FLOAT64); break;
      case 10: made = hed_copy(a); status = hed_add_into(made, made, b); break;
      case 11: made = hed_abs(a); break;
      case 12: made = hed_sin(hed_flip(hed_multiply(a, b), NULL)); break;
      default: made = hed_where(hed_less(a, hed_flip(b, NULL)), b, a); break;
      }
      v[pick(LIVE)] = made;
      status = made ? status : hed_error();
    }
    for (int j = 0; j < m && status == HED_OK; j++) /* no inputs: they may be written to */
      if (!(y[j] = hed_retain(v[j] == x[0] || v[j] == x[1] ? hed_negative(v[j]) : v[j])))
        status = hed_error();
  }
  return status == HED_OK ? HED_OK : hed_error();
}

static hed_array *wide(double first)
{
  hed_array *x = hed_linspace(first, first + 3, WIDE, HED_FLOAT64), *y = hed_sin(x);
  hed_release(x);
  return y;
}
