// SPDX-License-Identifier: BSD-3-Clause
/* Result types of every regular operation over every pair of dtypes, against rules written down here a second time,
 * and weak scalars.
 */
#include "api.h"

#define CONCRETE HED_ID_CONCRETE_COUNT_

/* kind: 0 bool, 1 unsigned, 2 signed, 3 real, 4 complex; bits of a component */
static const struct { int kind, bits; } facts[CONCRETE] = {
  { 0, 8 },  { 2, 8 },  { 2, 16 }, { 2, 32 }, { 2, 64 }, { 1, 8 },  { 1, 16 }, { 1, 32 },
  { 1, 64 }, { 3, 16 }, { 3, 16 }, { 3, 32 }, { 3, 64 }, { 4, 32 }, { 4, 64 },
};

static int find(int kind, int bits)
{
  for (int k = 0; k < CONCRETE; k++)
    if (facts[k].kind == kind && facts[k].bits == bits)
      return k;
  return -1;
}

/* The common type, from the words of hed_dtype_promote. */
static int common(int a, int b)
{
  if (a == b)
    return a;
  int ka = facts[a].kind, kb = facts[b].kind;
  if (ka > kb) {
    int t = a;
    a = b, b = t;
    t = ka;
    ka = kb, kb = t;
  }
  int wide = facts[a].bits > facts[b].bits ? facts[a].bits : facts[b].bits;
  if (ka == 0)
    return b;
  if (ka == 3 && kb == 3) /* the two of 16 bits differ */
    return wide == 16 ? HED_ID_FLOAT32 : find(3, wide);
  if (ka == kb)
    return find(ka, wide);
  if (ka == 1 && kb == 2)
    return facts[a].bits < facts[b].bits ? b : facts[a].bits == 64 ? HED_ID_FLOAT64 : find(2, 2 * facts[a].bits);
  if (ka <= 2) /* integer with real or complex: the float's type */
    return b;
  return facts[a].bits == 64 ? HED_ID_COMPLEX128 : b;
}

static bool in_domain(const char *domain, int id)
{
  return strchr(domain, "biifc"[facts[id].kind]) != NULL;
}

static int result(const char *rule, int id)
{
  bool whole = facts[id].kind <= 2;
  if (strcmp(rule, "BOOL") == 0)
    return HED_ID_BOOL;
  if (strcmp(rule, "INDEX") == 0)
    return HED_ID_INT64;
  if (strcmp(rule, "ACCUM") == 0)
    return !whole ? id : facts[id].kind == 1 ? HED_ID_UINT64 : HED_ID_INT64;
  if (strncmp(rule, "FLOAT", 5) == 0 && whole)
    id = HED_ID_FLOAT32; /* REAL unless a context says otherwise */
  if (strstr(rule, "REALPART") && facts[id].kind == 4)
    id = facts[id].bits == 32 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
  return id;
}

typedef hed_array *(*unary_fn)(const hed_array *);
typedef hed_array *(*binary_fn)(const hed_array *, const hed_array *);
typedef hed_array *(*reduce_fn)(const hed_array *, const hed_reduce *);
static const struct { const char *name, *domain, *rule; unary_fn fn; } unary[] = {
#define HED_UNARY(ID, name, domain, result, cost, doc) { #name, domain, #result, hed_##name },
#include <heddle/ops.def>
};
static const struct { const char *name, *domain, *rule; binary_fn fn; } binary[] = {
#define HED_BINARY(ID, name, domain, result, cost, doc) { #name, domain, #result, hed_##name },
#include <heddle/ops.def>
};
static const struct { const char *name, *domain, *rule; reduce_fn fn; } reduce[] = {
#define HED_REDUCE(ID, name, domain, result, doc) { #name, domain, #result, hed_##name },
#include <heddle/ops.def>
};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* Does Y, a new array or NULL, agree with WANT, an id or -1 for a dtype error? */
static bool agrees(hed_array *y, int want, const char *op, int a, int b)
{
  bool good = y ? want >= 0 && hed_dtype_id_of(hed_array_dtype(y)) == (hed_dtype_id)want
                : want < 0 && hed_error() == HED_E_DTYPE && strstr(hed_error_text(), op) != NULL;
  if (!good)
    diag("%s of %s and %s: %s, not %s (%s)", op, hed_dtype_name(hed_dtype_of(a)), hed_dtype_name(hed_dtype_of(b)),
         y ? hed_dtype_name(hed_array_dtype(y)) : "an error", want < 0 ? "an error" : hed_dtype_name(hed_dtype_of(want)),
         hed_error_text());
  hed_release(y);
  hed_error_clear();
  return good;
}

static void tables(const char *backend)
{
  hed_array *x[CONCRETE], *into = hed_zeros(HED_SHAPE(2), HED_FLOAT64);
  for (int k = 0; k < CONCRETE; k++)
    x[k] = hed_ones(HED_SHAPE(2), hed_dtype_of(k));
  bool good = true;
  for (int op = 0; op < COUNT(unary); op++)
    for (int a = 0; a < CONCRETE; a++)
      good &= agrees(unary[op].fn(x[a]), in_domain(unary[op].domain, a) ? result(unary[op].rule, a) : -1,
                     unary[op].name, a, a);
  ok(good, "%s: unary operations over all dtypes", backend);
  good = true;
  for (int op = 0; op < COUNT(binary); op++)
    for (int a = 0; a < CONCRETE; a++)
      for (int b = 0; b < CONCRETE; b++) {
        int c = common(a, b);
        good &= agrees(binary[op].fn(x[a], x[b]), in_domain(binary[op].domain, c) ? result(binary[op].rule, c) : -1,
                       binary[op].name, a, b);
      }
  ok(good, "%s: binary operations over all pairs of dtypes", backend);
  good = true;
  for (int op = 0; op < COUNT(reduce); op++)
    for (int a = 0; a < CONCRETE; a++)
      good &= agrees(reduce[op].fn(x[a], NULL), in_domain(reduce[op].domain, a) ? result(reduce[op].rule, a) : -1,
                     reduce[op].name, a, a);
  ok(good, "%s: reductions over all dtypes", backend);
  good = true;
  for (int a = 0; a < CONCRETE; a++)
    for (int b = 0; b < CONCRETE; b++)
      good &= hed_add_into(into, x[a], x[b]) == HED_OK;
  double v[2] = { 0, 0 };
  hed_to_host(into, v, sizeof v);
  ok(good && v[0] == 2 && v[1] == 2, "%s: results convert to out's dtype", backend);
  for (int k = 0; k < CONCRETE; k++)
    hed_release(x[k]);
  hed_release(into);
}

/* dtype of x + w for a weak w */
static hed_dtype with(hed_dtype t, hed_array *w)
{
  hed_array *x = hed_ones(HED_SHAPE(3), t), *y = hed_add(x, w), *z = hed_add(w, x);
  hed_dtype r = hed_array_dtype(y), l = hed_array_dtype(z);
  RELEASE(x, y, z, w);
  return r == l ? r : NULL;
}

static void weak(const char *backend)
{
  diag("weak scalars on %s", backend);
  is_ptr(with(HED_FLOAT32, hed_scalar(0.1)), HED_FLOAT32, "float32 with a weak real");
  is_ptr(with(HED_FLOAT16, hed_scalar(0.1)), HED_FLOAT16, "float16 with a weak real");
  is_ptr(with(HED_FLOAT64, hed_scalar(0.1)), HED_FLOAT64, "float64 with a weak real");
  is_ptr(with(HED_INT16, hed_scalar(0.5)), HED_FLOAT32, "int16 with a weak real gives REAL");
  is_ptr(with(HED_BOOL, hed_scalar(0.5)), HED_FLOAT32, "bool with a weak real gives REAL");
  is_ptr(with(HED_UINT8, hed_scalar_int(3)), HED_UINT8, "uint8 with a weak integer");
  is_ptr(with(HED_BOOL, hed_scalar_int(3)), HED_INT64, "bool with a weak integer gives int64");
  is_ptr(with(HED_FLOAT32, hed_scalar_int(3)), HED_FLOAT32, "float32 with a weak integer");
  is_ptr(with(HED_FLOAT32, hed_scalar_complex(0, 1)), HED_COMPLEX64, "float32 with a weak complex");
  is_ptr(with(HED_FLOAT64, hed_scalar_complex(0, 1)), HED_COMPLEX128, "float64 with a weak complex");
  is_ptr(with(HED_INT32, hed_scalar_complex(0, 1)), HED_COMPLEX64, "int32 with a weak complex gives COMPLEX");
  is_ptr(with(HED_COMPLEX64, hed_scalar(2)), HED_COMPLEX64, "complex64 with a weak real");

  hed_array *a = hed_scalar(1), *b = hed_scalar_int(2), *c = hed_add(a, b), *d = hed_add(b, b);
  is_ptr(hed_array_dtype(c), HED_FLOAT32, "two weak scalars give REAL");
  is_ptr(hed_array_dtype(d), HED_INT64, "two weak integers give int64");
  RELEASE(a, c, d);
  a = hed_ones(HED_SHAPE(2), HED_FLOAT64);
  c = hed_add_scalar(a, 0.1);
  double v[2];
  hed_to_host(c, v, sizeof v);
  is_ulp(v[0], 1.1, 0, "a weak real keeps its digits beside float64");
  hed_release(c);
  HED_BACKEND_CONTEXT(";real=float64") {
    hed_array *i = hed_ones(HED_SHAPE(2), HED_INT8), *r = hed_sqrt(i), *s = hed_add_scalar(i, 1.0);
    is_ptr(hed_array_dtype(r), HED_FLOAT64, "REAL is what the context says");
    is_ptr(hed_array_dtype(s), HED_FLOAT64, "for scalars too");
    RELEASE(i, r, s);
  }
  hed_array *u = hed_ones(HED_SHAPE(2), HED_UINT8), *big = hed_scalar_int(300);
  API_NULL(hed_add(u, big), HED_E_RANGE, "add: scalar b = 300 does not fit uint8");
  hed_release(big);
  big = hed_scalar_int(-1);
  API_NULL(hed_multiply(u, big), HED_E_RANGE, "= -1 does not fit uint8");
  API_NULL(hed_left_shift_scalar(u, 0.5), HED_E_DTYPE, "left_shift: scalar b = 0.5 is not an integer");
  API_NULL(hed_floor(hed_keep(NULL)), HED_E_INVAL, "floor: argument x is NULL");
  hed_release(a);
  a = hed_ones(HED_SHAPE(2), HED_COMPLEX64);
  API_NULL(hed_floor(a), HED_E_DTYPE, "floor: x has dtype complex64; the operation is defined for bool, integers, real floats");
  API_NULL(hed_less(u, a), HED_E_DTYPE, "less: b has dtype complex64");
  hed_release(a);
  a = hed_ones(HED_SHAPE(2), HED_INT64);
  hed_array *w = hed_ones(HED_SHAPE(2), HED_UINT64);
  API_NULL(hed_bitwise_and(a, w), HED_E_DTYPE, "bitwise_and: the operands' common type has dtype float64");
  api_is(hed_left_shift_scalar(u, 3), HED_SHAPE(2), HED_UINT8, API_LIST(8, 8), "a shift by a scalar stays an integer");
  RELEASE(a, b, u, w, big);
}

int main(void)
{
  api_each_backend(tables);
  api_each_backend(weak);
  done_testing();
  return done();
}
