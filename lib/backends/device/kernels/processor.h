// SPDX-License-Identifier: BSD-3-Clause
/* Functions of float32 on processors: base/random/random_math.h in float64, whose loops become vector code, where the drivers' own
 * functions are called for one element after the other (PoCL: 2 to 4 times as long). L1. */
#if defined(DEVICE_CPU) && !defined(NO_FLOAT64)
FN double any_log(double x)
{
  const double number = hed__rlog(x), special = x == 0 ? -INFINITY : x > 0 ? x : (double)NAN;
  return x > 0 && x < INFINITY ? number : special;
}
FN float float_log(float x) { return (float)any_log(x); }
FN float float_log2(float x) { return (float)(any_log(x) * LOG2_E); }
FN float float_log10(float x) { return (float)(any_log(x) * LOG10_E); }

/* The drivers' own may be macros. */
FN double double_log(double x) { return log(x); }
FN double double_log2(double x) { return log2(x); }
FN double double_log10(double x) { return log10(x); }
#undef log
#undef log2
#undef log10
/* The size is known when the program is compiled. */
#define log(x) (sizeof(x) == 4 ? float_log(x) : double_log(x))
#define log2(x) (sizeof(x) == 4 ? float_log2(x) : double_log2(x))
#define log10(x) (sizeof(x) == 4 ? float_log10(x) : double_log10(x))
#endif
