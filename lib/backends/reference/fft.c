// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms of any axes, extents and strides, computed in double. L1.
 *
 * The whole result is kept as dense complex double work space, one axis is transformed after the other, and the
 * result is written at the end: operands may be the same view. A line is transformed by the Stockham autosort method
 * (Van Loan, Computational Frameworks for the FFT, 1992, section 1.7) with radices 4, 2, 3, 5 and, as plain sums, the
 * primes up to MAX_PRIME; an extent with a larger prime factor goes through Bluestein's chirp convolution (IEEE Trans.
 * AU-18, 1970) of the next power of two. COLUMNS neighbouring lines are transformed together.
 */
#include "backends/reference/number.h"

#include <math.h>
#include <string.h>

enum { MAX_PRIME = 31, MAX_FACTORS = 64, COLUMNS = 8 };

/* Transforms of one length and sign. */
typedef struct plan {
  int64_t n;
  int64_t space;       /* elements per line that each of the two buffers of run_plan must hold */
  int n_factors, factor[MAX_FACTORS];
  ref_complex *root;   /* exp(sign 2 pi i k / n), k = 0 .. n - 1 */
  struct plan *conv;   /* Bluestein: forward plan of length space, else NULL */
  ref_complex *chirp;  /* exp(sign pi i k^2 / n) */
  ref_complex *kernel; /* transform of the conjugate chirp, divided by space */
} plan;

static inline ref_complex mul(ref_complex a, ref_complex b)
{
  return (ref_complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
static inline ref_complex add(ref_complex a, ref_complex b) { return (ref_complex){ a.re + b.re, a.im + b.im }; }
static inline ref_complex sub(ref_complex a, ref_complex b) { return (ref_complex){ a.re - b.re, a.im - b.im }; }

/* exp(sign 2 pi i k / n) for 0 <= k < n, the angle brought into an eighth of a turn by exact integer steps. */
static ref_complex unit_root(int64_t k, int64_t n, int sign)
{
  const double pi = 3.14159265358979323846;
  bool mirrored = 2 * k > n; /* lower half circle */
  double c, s;
  if (mirrored)
    k = n - k;
  bool left = 4 * k > n;     /* beyond a quarter: use n/2 - k, kept as twice its value */
  int64_t twice = left ? n - 2 * k : 2 * k;
  if (4 * twice > n) {       /* beyond an eighth: quarter turn minus the angle, in units of 1 / (4 n) turns */
    double rest = pi * 0.5 * ((double)(n - 2 * twice) / (double)n);
    c = sin(rest);
    s = cos(rest);
  } else {
    double angle = pi * ((double)twice / (double)n);
    c = cos(angle);
    s = sin(angle);
  }
  return (ref_complex){ left ? -c : c, mirrored == (sign > 0) ? -s : s };
}

static void free_plan(void *state, plan *p)
{
  if (!p)
    return;
  free_plan(state, p->conv);
  ref_free(state, p->root);
  ref_free(state, p->chirp);
  ref_free(state, p->kernel);
  ref_free(state, p);
}

/* One Stockham step: sub-transforms of length N are split by radix R; S lines of them (V of each position together). */
static void step(const plan *p, int64_t n, int r, int64_t s, int64_t v, const ref_complex *restrict x,
                 ref_complex *restrict y)
{
  const int64_t m = n / r, turn = s / v, line = m * s; /* root[k * turn] is the k-th n-th root of unity */
  const ref_complex quarter = p->n % 4 == 0 ? p->root[p->n / 4] : (ref_complex){ 0, 0 };
  const ref_complex r3 = p->n % 3 == 0 ? p->root[p->n / 3] : (ref_complex){ 0, 0 };
  const ref_complex r5 = p->n % 5 == 0 ? p->root[p->n / 5] : (ref_complex){ 0, 0 };
  const ref_complex q5 = p->n % 5 == 0 ? p->root[2 * (p->n / 5)] : (ref_complex){ 0, 0 };

  for (int64_t k = 0; k < m; k++) {
    const ref_complex *a = x + k * s;
    ref_complex *b = y + k * s * r;
    const ref_complex w1 = p->root[k * turn];
    switch (r) {
    case 2:
      for (int64_t j = 0; j < s; j++) {
        ref_complex a0 = a[j], a1 = a[j + line];
        b[j] = add(a0, a1);
        b[j + s] = mul(w1, sub(a0, a1));
      }
      break;
    case 3: {
      const ref_complex w2 = p->root[2 * k * turn];
      for (int64_t j = 0; j < s; j++) {
        ref_complex a0 = a[j], t = add(a[j + line], a[j + 2 * line]), d = sub(a[j + line], a[j + 2 * line]);
        ref_complex c = { a0.re + r3.re * t.re, a0.im + r3.re * t.im }, e = { -r3.im * d.im, r3.im * d.re };
        b[j] = add(a0, t);
        b[j + s] = mul(w1, add(c, e));
        b[j + 2 * s] = mul(w2, sub(c, e));
      }
      break;
    }
    case 4: {
      const ref_complex w2 = p->root[2 * k * turn], w3 = p->root[3 * k * turn];
      for (int64_t j = 0; j < s; j++) {
        ref_complex t0 = add(a[j], a[j + 2 * line]), t1 = sub(a[j], a[j + 2 * line]);
        ref_complex t2 = add(a[j + line], a[j + 3 * line]), d = sub(a[j + line], a[j + 3 * line]);
        ref_complex t3 = { -quarter.im * d.im, quarter.im * d.re };
        b[j] = add(t0, t2);
        b[j + s] = mul(w1, add(t1, t3));
        b[j + 2 * s] = mul(w2, sub(t0, t2));
        b[j + 3 * s] = mul(w3, sub(t1, t3));
      }
      break;
    }
    case 5: {
      const ref_complex w2 = p->root[2 * k * turn], w3 = p->root[3 * k * turn], w4 = p->root[4 * k * turn];
      for (int64_t j = 0; j < s; j++) {
        ref_complex a0 = a[j], t1 = add(a[j + line], a[j + 4 * line]), d1 = sub(a[j + line], a[j + 4 * line]);
        ref_complex t2 = add(a[j + 2 * line], a[j + 3 * line]), d2 = sub(a[j + 2 * line], a[j + 3 * line]);
        ref_complex c1 = { a0.re + r5.re * t1.re + q5.re * t2.re, a0.im + r5.re * t1.im + q5.re * t2.im };
        ref_complex c2 = { a0.re + q5.re * t1.re + r5.re * t2.re, a0.im + q5.re * t1.im + r5.re * t2.im };
        ref_complex e1 = { -(r5.im * d1.im + q5.im * d2.im), r5.im * d1.re + q5.im * d2.re };
        ref_complex e2 = { -(q5.im * d1.im - r5.im * d2.im), q5.im * d1.re - r5.im * d2.re };
        b[j] = add(a0, add(t1, t2));
        b[j + s] = mul(w1, add(c1, e1));
        b[j + 2 * s] = mul(w2, add(c2, e2));
        b[j + 3 * s] = mul(w3, sub(c2, e2));
        b[j + 4 * s] = mul(w4, sub(c1, e1));
      }
      break;
    }
    default:
      for (int64_t u = 0; u < r; u++) {
        const ref_complex w = p->root[u * k * turn];
        for (int64_t j = 0; j < s; j++) {
          ref_complex sum = a[j];
          for (int64_t t = 1; t < r; t++)
            sum = add(sum, mul(p->root[t * u % r * (p->n / r)], a[j + t * line]));
          b[j + u * s] = mul(w, sum);
        }
      }
    }
  }
}

/* Transform V interleaved lines (element k of line j at k * V + j) in X with Y as scratch, both of V * space elements.
 * Returns the one that holds the result. */
static ref_complex *run_plan(const plan *p, int64_t v, ref_complex *x, ref_complex *y)
{
  ref_complex *t;
  if (!p->conv) {
    int64_t n = p->n, s = v;
    for (int f = 0; f < p->n_factors; n /= p->factor[f], s *= p->factor[f], f++) {
      step(p, n, p->factor[f], s, v, x, y);
      t = x;
      x = y;
      y = t;
    }
    return x;
  }
  /* sum_j a_j w^(jk) with jk = (j^2 + k^2 - (k - j)^2) / 2 */
  for (int64_t k = 0; k < p->n; k++)
    for (int64_t j = 0; j < v; j++)
      y[k * v + j] = mul(x[k * v + j], p->chirp[k]);
  memset(y + p->n * v, 0, (size_t)((p->space - p->n) * v) * sizeof *y);
  t = run_plan(p->conv, v, y, x);
  for (int64_t k = 0; k < p->space; k++)
    for (int64_t j = 0; j < v; j++) {
      ref_complex z = mul(t[k * v + j], p->kernel[k]);
      t[k * v + j] = (ref_complex){ z.re, -z.im }; /* the inverse is the conjugate of the conjugate's transform */
    }
  t = run_plan(p->conv, v, t, t == x ? y : x);
  for (int64_t k = 0; k < p->n; k++)
    for (int64_t j = 0; j < v; j++)
      t[k * v + j] = mul((ref_complex){ t[k * v + j].re, -t[k * v + j].im }, p->chirp[k]);
  return t;
}

/* NULL after a report when there is no memory. N is at least 1. */
static plan *make_plan(void *state, int64_t n, int sign)
{
  plan *p = ref_alloc(state, "fft", 1, sizeof *p);
  int64_t rest = n;
  if (!p)
    return NULL;
  *p = (plan){ .n = n, .space = n };
  for (int r = 4; r <= MAX_PRIME && rest > 1; r = r == 4 ? 2 : r == 2 ? 3 : r + 2)
    for (; rest % r == 0; rest /= r)
      p->factor[p->n_factors++] = r;
  if (rest == 1) {
    p->root = ref_alloc(state, "fft", n, sizeof *p->root);
    if (!p->root)
      goto fail;
    for (int64_t k = 0; k < n; k++)
      p->root[k] = unit_root(k, n, sign);
    return p;
  }

  for (p->space = 1; p->space < 2 * n - 1;)
    p->space *= 2;
  p->chirp = ref_alloc(state, "fft", n, sizeof *p->chirp);
  p->kernel = ref_alloc(state, "fft", p->space, sizeof *p->kernel);
  ref_complex *scratch = ref_alloc(state, "fft", p->space, sizeof *scratch);
  p->conv = make_plan(state, p->space, -1);
  if (!p->chirp || !p->kernel || !scratch || !p->conv) {
    ref_free(state, scratch);
    goto fail;
  }
  memset(p->kernel, 0, (size_t)p->space * sizeof *p->kernel);
  for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
    ref_complex c = unit_root(square, 2 * n, sign);
    p->chirp[k] = c;
    c = (ref_complex){ c.re / (double)p->space, -c.im / (double)p->space };
    p->kernel[k] = c;
    p->kernel[k ? p->space - k : 0] = c;
  }
  ref_complex *done = run_plan(p->conv, 1, p->kernel, scratch);
  if (done == scratch) {
    scratch = p->kernel;
    p->kernel = done;
  }
  ref_free(state, scratch);
  return p;
fail:
  free_plan(state, p);
  return NULL;
}

/* Extents of the dense work space and the step of an axis in it. */
typedef struct grid {
  int32_t ndim;
  const int64_t *dim;
  int64_t size;
} grid;

static int64_t inner_size(const grid *g, int32_t axis)
{
  int64_t n = 1;
  for (int32_t k = axis + 1; k < g->ndim; k++)
    n *= g->dim[k];
  return n;
}

/* One axis of dense complex work space, in place. */
static int32_t transform_axis(void *state, const grid *g, int32_t axis, int sign, ref_complex *work)
{
  const int64_t n = g->dim[axis], inner = inner_size(g, axis), outer = g->size / (n * inner);
  const int64_t columns = inner < COLUMNS ? inner : COLUMNS;
  int32_t status = HED_E_NOMEM;
  ref_complex *x = NULL, *y = NULL;
  plan *p = make_plan(state, n, sign);
  if (!p)
    goto out;
  x = ref_alloc(state, "fft", p->space * columns, sizeof *x);
  y = ref_alloc(state, "fft", p->space * columns, sizeof *y);
  if (!x || !y)
    goto out;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i += columns) {
      const int64_t v = inner - i < columns ? inner - i : columns;
      ref_complex *at = work + o * n * inner + i;
      for (int64_t k = 0; k < n; k++)
        memcpy(x + k * v, at + k * inner, (size_t)v * sizeof *x);
      const ref_complex *r = run_plan(p, v, x, y);
      for (int64_t k = 0; k < n; k++)
        memcpy(at + k * inner, r + k * v, (size_t)v * sizeof *x);
    }
  status = HED_OK;
out:
  ref_free(state, x);
  ref_free(state, y);
  free_plan(state, p);
  return status;
}

/* Lines of REAL (a view) along AXIS and lines of the halved work space, either way: c2r when INVERSE. */
static int32_t transform_real(void *state, const grid *g, const hed_view *real, int32_t axis, int sign, bool inverse,
                              double scale, ref_complex *work)
{
  const int64_t n = real->dim[axis], half = g->dim[axis], inner = inner_size(g, axis);
  hed__cast_fn cast = inverse ? hed__cast(HED_ID_FLOAT64, real->dtype) : hed__cast(real->dtype, HED_ID_FLOAT64);
  int32_t status = HED_E_NOMEM;
  ref_complex *x = NULL, *y = NULL;
  double *line = ref_alloc(state, "fft", n, sizeof *line);
  plan *p = make_plan(state, n, sign);
  int64_t number = 0; /* of the line, over the other axes in C order */
  ref_walk w;
  if (!p || !line)
    goto out;
  x = ref_alloc(state, "fft", p->space, sizeof *x);
  y = ref_alloc(state, "fft", p->space, sizeof *y);
  if (!x || !y)
    goto out;
  for (ref_walk_init(&w, 1, &real, 1u << axis); w.left > 0; ref_walk_next(&w), number++) {
    ref_complex *at = work + number / inner * inner * half + number % inner;
    if (!inverse) {
      cast(n, (char *)line, sizeof *line, w.ptr[0], real->stride[axis]);
      for (int64_t k = 0; k < n; k++)
        x[k] = (ref_complex){ line[k], 0 };
      const ref_complex *r = run_plan(p, 1, x, y);
      for (int64_t k = 0; k < half; k++)
        at[k * inner] = r[k];
      continue;
    }
    for (int64_t k = 0; k < half; k++) {
      ref_complex z = at[k * inner];
      if (k == 0 || 2 * k == n)
        x[k] = (ref_complex){ z.re, 0 };
      else {
        x[k] = z;
        x[n - k] = (ref_complex){ z.re, -z.im };
      }
    }
    const ref_complex *r = run_plan(p, 1, x, y);
    for (int64_t k = 0; k < n; k++)
      line[k] = r[k].re * scale;
    cast(n, w.ptr[0], real->stride[axis], (const char *)line, sizeof *line);
  }
  status = HED_OK;
out:
  ref_free(state, x);
  ref_free(state, y);
  ref_free(state, line);
  free_plan(state, p);
  return status;
}

static bool is_complex(const hed_view *v) { return v->dtype == HED_ID_COMPLEX64 || v->dtype == HED_ID_COMPLEX128; }

REF_KERNEL(fft)
{
  const hed_fft_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const bool from_real = !is_complex(in), to_real = !is_complex(out);
  const hed_view *half = to_real ? in : out; /* the view of the work space's extents */
  const grid g = { half->ndim, half->dim, ref_size(half) };
  const int sign = p->sign < 0 ? -1 : 1;
  int32_t last = p->n_axes - 1, status = HED_OK;
  if ((from_real || to_real) && (last < 0 || (from_real && to_real)))
    return ref_host(state)->fail(HED_E_INVAL, "fft: %s", last < 0 ? "a real transform needs an axis"
                                                              : "one operand must be complex");
  if (ref_size(out) == 0 || ref_size(in) == 0)
    return HED_OK;
  if (from_real || to_real) {
    int64_t n = (from_real ? in : out)->dim[p->axis[last]], h = half->dim[p->axis[last]];
    if (h != n / 2 + 1)
      return ref_host(state)->fail(HED_E_SHAPE, "fft: axis %d has %lld complex elements for %lld real ones, not %lld",
                                   (int)p->axis[last], (long long)h, (long long)n, (long long)(n / 2 + 1));
  }
  ref_complex *work = ref_alloc(state, "fft", g.size, sizeof *work);
  if (!work)
    return HED_E_NOMEM;
  if (from_real)
    status = transform_real(state, &g, in, p->axis[last], sign, false, 1, work);
  else
    ref_gather(work, HED_ID_COMPLEX128, sizeof *work, in);
  for (int32_t k = from_real || to_real ? last - 1 : last; k >= 0 && status == HED_OK; k--)
    status = transform_axis(state, &g, p->axis[k], sign, work);
  if (status == HED_OK && to_real) {
    status = transform_real(state, &g, out, p->axis[last], sign, true, p->scale, work);
  } else if (status == HED_OK) {
    if (p->scale != 1)
      for (int64_t k = 0; k < g.size; k++)
        work[k] = (ref_complex){ work[k].re * p->scale, work[k].im * p->scale };
    ref_scatter(out, work, HED_ID_COMPLEX128, sizeof *work);
  }
  ref_free(state, work);
  return status;
}

size_t ref_fft_workspace(const hed_view *real)
{
  int64_t longest = 1, half = ref_size(real);
  for (int32_t k = 0; k < real->ndim; k++)
    longest = real->dim[k] > longest ? real->dim[k] : longest;
  half = half / real->dim[real->ndim - 1] * (real->dim[real->ndim - 1] / 2 + 1);
  /* At most Bluestein's, in less than four times the extent: a plan of chirp, kernel and roots, and COLUMNS lines twice. */
  const int64_t line = longest * (1 + 4 * 2 + 2 * 4 * COLUMNS) + longest / 2 + 1;
  return sizeof(ref_complex) * (size_t)(half + line) + 2 * sizeof(plan);
}
