// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations with three operands, with numbers as parameters, and the forms with complex numbers. L3.
 *
 * Each checks its numbers and goes through hed__elementwise; OUT NULL makes a new array.
 */
#include "api/call/check.h"
#include "api/elementwise/elementwise.h"
#include "api/call/infer.h"
#include "base/dtype.h"

#include <float.h>
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

/* ---- three operands ---- */

static bool bounds(const hed_array *x, const hed_array *low, const hed_array *high, hed_clip_array_params *p,
                   hed__elementwise *e)
{
  if (!hed__named(x, "clip_array", "x"))
    return false;
  if (!low && !high) {
    if (hed_error() == HED_OK) /* else of what made them NULL */
      hed_fail(HED_E_INVAL, "clip_array: both low and high are NULL; one bound is needed");
    return false;
  }
  *p = (hed_clip_array_params){ low != NULL, high != NULL };
  *e = (hed__elementwise){ HED_OP_CLIP_ARRAY, 3, 0, { x, low ? low : x, high ? high : x }, { "x", "low", "high" }, p };
  return true;
}

hed_array *hed_clip_array(const hed_array *x, const hed_array *low, const hed_array *high)
{
  hed_clip_array_params p;
  hed__elementwise e;
  return bounds(x, low, high, &p, &e) ? hed__elementwise_new(&e) : NULL;
}

hed_status hed_clip_array_into(hed_array *out, const hed_array *x, const hed_array *low, const hed_array *high)
{
  hed_clip_array_params p;
  hed__elementwise e;
  return bounds(x, low, high, &p, &e) ? hed__elementwise_into(&e, out) : hed_error();
}

hed_array *hed_where_number(const hed_array *condition, const hed_array *a, hed_number s)
{
  hed__box box;
  return hed_where(condition, a, hed__box_number(&box, &s));
}

hed_array *hed_number_where(const hed_array *condition, hed_number s, const hed_array *b)
{
  hed__box box;
  return hed_where(condition, hed__box_number(&box, &s), b);
}

hed_array *hed_numbers_where(const hed_array *condition, hed_number s, hed_number t)
{
  hed__box box[2];
  return hed_where(condition, hed__box_number(&box[0], &s), hed__box_number(&box[1], &t));
}

hed_array *(hed_where_scalar)(const hed_array *condition, const hed_array *a, double b)
{
  return hed_where_number(condition, a, hed_number_real(b));
}

hed_array *(hed_scalar_where)(const hed_array *condition, double a, const hed_array *b)
{
  return hed_number_where(condition, hed_number_real(a), b);
}

hed_array *(hed_scalars_where)(const hed_array *condition, double a, double b)
{
  return hed_numbers_where(condition, hed_number_real(a), hed_number_real(b));
}

#define DIVISION(params) \
  (&(hed__elementwise){ HED_OP_DIVIDE_WHERE, 3, 1, { condition, a, b }, { "condition", "a", "b" }, params })

hed_array *hed_divide_where(const hed_array *condition, const hed_array *a, const hed_array *b, double fill)
{
  return hed__elementwise_new(DIVISION(&(hed_divide_params){ fill }));
}

hed_status hed_divide_where_into(hed_array *out, const hed_array *condition, const hed_array *a, const hed_array *b,
                                 double fill)
{
  return hed__elementwise_into(DIVISION(&(hed_divide_params){ fill }), out);
}

hed_array *hed_lerp(const hed_array *a, const hed_array *b, const hed_array *t)
{
  return hed__elementwise_new(&(hed__elementwise){ HED_OP_LERP, 3, 0, { a, b, t }, { "a", "b", "t" }, NULL });
}

hed_status hed_lerp_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_array *t)
{
  return hed__elementwise_into(&(hed__elementwise){ HED_OP_LERP, 3, 0, { a, b, t }, { "a", "b", "t" }, NULL }, out);
}

hed_array *hed_fma(const hed_array *a, const hed_array *b, const hed_array *c)
{
  return hed__elementwise_new(&(hed__elementwise){ HED_OP_FMA, 3, 0, { a, b, c }, { "a", "b", "c" }, NULL });
}

hed_status hed_fma_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_array *c)
{
  return hed__elementwise_into(&(hed__elementwise){ HED_OP_FMA, 3, 0, { a, b, c }, { "a", "b", "c" }, NULL }, out);
}

/* ---- with a complex number ---- */

#define COMPLEX_FORMS(ID, name)                                                                                     \
  hed_array *hed_##name##_complex(const hed_array *a, double re, double im)                                         \
  {                                                                                                                 \
    hed__box z;                                                                                                     \
    return hed__elementwise_new(                                                                                    \
        &(hed__elementwise){ HED_OP_##ID, 2, 0, { a, hed__box_complex(&z, re, im) }, { "a", "b" }, NULL });         \
  }                                                                                                                 \
  hed_array *hed_complex_##name(double re, double im, const hed_array *b)                                           \
  {                                                                                                                 \
    hed__box z;                                                                                                     \
    return hed__elementwise_new(                                                                                    \
        &(hed__elementwise){ HED_OP_##ID, 2, 0, { hed__box_complex(&z, re, im), b }, { "a", "b" }, NULL });         \
  }                                                                                                                 \
  hed_status hed_##name##_complex_into(hed_array *out, const hed_array *a, double re, double im)                    \
  {                                                                                                                 \
    hed__box z;                                                                                                     \
    return hed__elementwise_into(                                                                                   \
        &(hed__elementwise){ HED_OP_##ID, 2, 0, { a, hed__box_complex(&z, re, im) }, { "a", "b" }, NULL }, out);    \
  }                                                                                                                 \
  hed_status hed_complex_##name##_into(hed_array *out, double re, double im, const hed_array *b)                    \
  {                                                                                                                 \
    hed__box z;                                                                                                     \
    return hed__elementwise_into(                                                                                   \
        &(hed__elementwise){ HED_OP_##ID, 2, 0, { hed__box_complex(&z, re, im), b }, { "a", "b" }, NULL }, out);    \
  }
COMPLEX_FORMS(ADD, add)
COMPLEX_FORMS(SUBTRACT, subtract)
COMPLEX_FORMS(MULTIPLY, multiply)
COMPLEX_FORMS(DIVIDE, divide)
COMPLEX_FORMS(POWER, power)

/* ---- tolerances ---- */

static bool tolerance(const hed_tolerance *opt, hed_isclose_params *p)
{
  static const hed_tolerance defaults;
  if (!opt)
    opt = &defaults;
  if (!(opt->rtol >= 0 && opt->atol >= 0)) {
    hed_fail(HED_E_INVAL, "isclose: rtol %g and atol %g have to be 0 or more", opt->rtol, opt->atol);
    return false;
  }
  *p = (hed_isclose_params){ opt->rtol, opt->atol, opt->equal_nan };
  if (opt->rtol == 0 && opt->atol == 0) {
    p->rtol = 1e-5;
    p->atol = 1e-8;
  }
  return true;
}

#define CLOSE(params) (&(hed__elementwise){ HED_OP_ISCLOSE, 2, 0, { a, b }, { "a", "b" }, params })

hed_array *hed_isclose(const hed_array *a, const hed_array *b, const hed_tolerance *opt)
{
  hed_isclose_params p;
  return tolerance(opt, &p) ? hed__elementwise_new(CLOSE(&p)) : NULL;
}

hed_status hed_isclose_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_tolerance *opt)
{
  hed_isclose_params p;
  return tolerance(opt, &p) ? hed__elementwise_into(CLOSE(&p), out) : hed_error();
}

/* ---- rotation ---- */

static bool rotation(int op, const hed_array *x, const hed_array *shifts, int32_t width, hed_rotate_params *p,
                     hed__elementwise *e)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__named(x, name, "x") || !hed__named(shifts, name, "shifts"))
    return false;
  *e = (hed__elementwise){ op, 2, 0, { x, shifts }, { "x", "shifts" }, p };
  int id = hed__infer_operands(op, 2, e->in, e->arg);
  if (id < 0)
    return false;
  int bits = hed__dtypes[id]->bits;
  if (width < 0 || width > bits) {
    hed_fail(HED_E_INVAL, "%s: bit_width %d is not 1 to %d, the bits of %s (0 means all)", name, (int)width, bits,
             hed__dtypes[id]->name);
    return false;
  }
  p->width = width ? width : bits;
  return true;
}

hed_array *hed_rotate_left(const hed_array *x, const hed_array *shifts, int32_t bit_width)
{
  hed_rotate_params p;
  hed__elementwise e;
  return rotation(HED_OP_ROTATE_LEFT, x, shifts, bit_width, &p, &e) ? hed__elementwise_new(&e) : NULL;
}

hed_status hed_rotate_left_into(hed_array *out, const hed_array *x, const hed_array *shifts, int32_t bit_width)
{
  hed_rotate_params p;
  hed__elementwise e;
  return rotation(HED_OP_ROTATE_LEFT, x, shifts, bit_width, &p, &e) ? hed__elementwise_into(&e, out) : hed_error();
}

hed_array *hed_rotate_right(const hed_array *x, const hed_array *shifts, int32_t bit_width)
{
  hed_rotate_params p;
  hed__elementwise e;
  return rotation(HED_OP_ROTATE_RIGHT, x, shifts, bit_width, &p, &e) ? hed__elementwise_new(&e) : NULL;
}

hed_status hed_rotate_right_into(hed_array *out, const hed_array *x, const hed_array *shifts, int32_t bit_width)
{
  hed_rotate_params p;
  hed__elementwise e;
  return rotation(HED_OP_ROTATE_RIGHT, x, shifts, bit_width, &p, &e) ? hed__elementwise_into(&e, out) : hed_error();
}

/* ---- one operand and numbers ---- */

#define ONE(ID, params) (&(hed__elementwise){ HED_OP_##ID, 1, 0, { x }, { "x" }, params })

hed_array *hed_threshold(const hed_array *x, double t, double above, double below)
{
  return hed__elementwise_new(ONE(THRESHOLD, (&(hed_threshold_params){ t, above, below })));
}

hed_status hed_threshold_into(hed_array *out, const hed_array *x, double t, double above, double below)
{
  return hed__elementwise_into(ONE(THRESHOLD, (&(hed_threshold_params){ t, above, below })), out);
}

static double largest(int id)
{
  switch (hed__real_of(id)) {
  case HED_ID_FLOAT16: return 65504;
  case HED_ID_BFLOAT16: return 0x1.fep127;
  case HED_ID_FLOAT32: return FLT_MAX;
  default: return DBL_MAX;
  }
}

static bool numbers(const hed_array *x, const hed_nan_options *opt, hed_nan_params *p)
{
  static const hed_nan_options defaults;
  if (!hed__named(x, "nan_to_num", "x"))
    return false;
  if (!opt)
    opt = &defaults;
  double most = largest(x->view.dtype);
  *p = (hed_nan_params){ opt->nan, opt->posinf != 0 ? opt->posinf : most, opt->neginf != 0 ? opt->neginf : -most };
  return true;
}

hed_array *hed_nan_to_num(const hed_array *x, const hed_nan_options *opt)
{
  hed_nan_params p;
  return numbers(x, opt, &p) ? hed__elementwise_new(ONE(NAN_TO_NUM, &p)) : NULL;
}

hed_status hed_nan_to_num_into(hed_array *out, const hed_array *x, const hed_nan_options *opt)
{
  hed_nan_params p;
  return numbers(x, opt, &p) ? hed__elementwise_into(ONE(NAN_TO_NUM, &p), out) : hed_error();
}

hed_array *hed_leaky_relu(const hed_array *x, double slope)
{
  return hed__elementwise_new(ONE(LEAKY_RELU, &(hed_slope_params){ slope }));
}

hed_status hed_leaky_relu_into(hed_array *out, const hed_array *x, double slope)
{
  return hed__elementwise_into(ONE(LEAKY_RELU, &(hed_slope_params){ slope }), out);
}

hed_array *hed_elu(const hed_array *x, double alpha)
{
  return hed__elementwise_new(ONE(ELU, &(hed_slope_params){ alpha }));
}

hed_status hed_elu_into(hed_array *out, const hed_array *x, double alpha)
{
  return hed__elementwise_into(ONE(ELU, &(hed_slope_params){ alpha }), out);
}

static bool wide_enough(double sigma)
{
  if (sigma > 0)
    return true;
  hed_fail(HED_E_INVAL, "gaussian: sigma is %g, above 0 is needed", sigma);
  return false;
}

hed_array *hed_gaussian(const hed_array *x, double mu, double sigma)
{
  return wide_enough(sigma) ? hed__elementwise_new(ONE(GAUSSIAN, (&(hed_gaussian_params){ mu, sigma }))) : NULL;
}

hed_status hed_gaussian_into(hed_array *out, const hed_array *x, double mu, double sigma)
{
  return wide_enough(sigma) ? hed__elementwise_into(ONE(GAUSSIAN, (&(hed_gaussian_params){ mu, sigma })), out)
                            : hed_error();
}
