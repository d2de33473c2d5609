// SPDX-License-Identifier: BSD-3-Clause
/* Models, their options, and what is made once for each.
 *
 * Layer: L4, vsa kit. See internal.h.
 */
#include "kits/vsa/internal.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of what the options of a model may say, beside those that all have. */
enum { INVERSE = 1, TIE = 2, MEASURE = 4, SPARSITY = 8, SEGMENTS = 16, BLOCK = 32, DIAGONALITY = 64, PACKED = 128 };
enum { BINARY_TYPES = 1, SIGNED_TYPES = 2, REAL_TYPES = 4, COMPLEX_TYPES = 8, INDEX_TYPES = 16 };

static const struct row {
  const char *name;
  const hed__vsa_ops *ops, *packed;
  int has;            /* of the bits above            */
  int types;          /* which dtypes it may have     */
  uint32_t variants;  /* a bit for each that it has   */
  uint32_t flags;
} models[] = {
#define V(variant) (1U << HED_VSA_##variant)
  [HED_VSA_MAP] = { "map", &hed__vsa_map, &hed__vsa_bits, TIE | MEASURE | PACKED, SIGNED_TYPES, V(CONTINUOUS) | V(CLIPPED),
                    HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_SELF_INVERSE | HED_VSA_EXACT_INVERSE |
                        HED_VSA_UNIT_NORM | HED_VSA_PACKABLE | HED_VSA_BIPOLAR_BITS | HED_VSA_HAS_IDENTITY },
  [HED_VSA_HRR] = { "hrr", &hed__vsa_hrr, NULL, INVERSE, REAL_TYPES, V(RAW_SUM),
                    HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_UNIT_NORM | HED_VSA_HAS_IDENTITY },
  [HED_VSA_FHRR] = { "fhrr", &hed__vsa_fhrr, NULL, 0, COMPLEX_TYPES, 0,
                     HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM |
                         HED_VSA_HAS_IDENTITY },
  [HED_VSA_BSC] = { "bsc", &hed__vsa_bsc, &hed__vsa_bits, TIE | MEASURE | PACKED, BINARY_TYPES, 0,
                    HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_SELF_INVERSE | HED_VSA_EXACT_INVERSE |
                        HED_VSA_PACKABLE | HED_VSA_BIPOLAR_BITS | HED_VSA_HAS_IDENTITY },
  [HED_VSA_BSDC] = { "bsdc", &hed__vsa_bsdc, &hed__vsa_sparse_bits, MEASURE | SPARSITY | PACKED, BINARY_TYPES,
                     V(CDT) | V(SHIFT),
                     HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_SELF_INVERSE | HED_VSA_EXACT_INVERSE |
                         HED_VSA_PACKABLE | HED_VSA_BIPOLAR_BITS | HED_VSA_HAS_IDENTITY },
  [HED_VSA_BSDC_SEG] = { "bsdc_seg", &hed__vsa_seg, NULL, SEGMENTS | BLOCK, INDEX_TYPES, V(XOR),
                         HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM |
                             HED_VSA_HAS_IDENTITY },
  [HED_VSA_GHRR] = { "ghrr", &hed__vsa_ghrr, NULL, BLOCK | DIAGONALITY, COMPLEX_TYPES, 0,
                     HED_VSA_ASSOCIATIVE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM | HED_VSA_HAS_IDENTITY },
  [HED_VSA_VTB] = { "vtb", &hed__vsa_vtb, NULL, 0, REAL_TYPES, V(RAW_SUM), HED_VSA_UNIT_NORM },
  [HED_VSA_VTB_SHIFT] = { "vtb_shift", &hed__vsa_vtb_shift, NULL, 0, REAL_TYPES, V(RAW_SUM), HED_VSA_UNIT_NORM },
  [HED_VSA_MCR] = { "mcr", &hed__vsa_mcr, NULL, BLOCK, INDEX_TYPES, 0,
                    HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM |
                        HED_VSA_HAS_IDENTITY },
  [HED_VSA_CGR] = { "cgr", &hed__vsa_cgr, NULL, BLOCK, INDEX_TYPES, 0,
                    HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM |
                        HED_VSA_HAS_IDENTITY },
#undef V
};
enum { N_MODELS = sizeof models / sizeof models[0] };

const char *hed_vsa_model_name(int m)
{
  return m >= 0 && m < N_MODELS ? models[m].name : NULL;
}

/* ---- options ---- */

static hed_status not_of(const struct row *r, const char *option, double value)
{
  return hed_fail(HED_E_INVAL, "hed_vsa_create: %s has no option %s, which is %g", r->name, option, value);
}

static hed_status check(const struct row *r, const hed_vsa_options *o)
{
  const struct { int bit; const char *name, *type; int32_t value, last; } enums[] = {
    { PACKED, "layout", "hed_vsa_layout", o->layout, HED_VSA_PACKED },
    { INVERSE, "inverse", "hed_vsa_inverse", o->inverse, HED_VSA_UNITARY },
    { TIE, "tie", "hed_vsa_tie", o->tie, HED_VSA_TIE_ONE },
    { MEASURE, "similarity", "hed_vsa_measure", o->similarity, HED_VSA_COSINE },
  };
  if (o->layout == HED_VSA_PACKED && !r->packed)
    return hed_fail(HED_E_UNSUPPORTED, "hed_vsa_create: %s has no packed layout: it is not binary", r->name);
  for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
    if (hed__expect_member("hed_vsa_create", enums[i].name, enums[i].value, 0, enums[i].last, enums[i].type) != HED_OK)
      return hed_error();
    if (enums[i].value && !(r->has & enums[i].bit))
      return not_of(r, enums[i].name, enums[i].value);
  }
  if (o->variant && (o->variant < 0 || o->variant > HED_VSA_XOR || !(r->variants >> o->variant & 1)))
    return not_of(r, "variant", o->variant);
  if (o->variant && o->layout && r->ops == &hed__vsa_map)
    return hed_fail(HED_E_UNSUPPORTED, "hed_vsa_create: layout is packed, but real numbers of variant %d have no bits",
                    (int)o->variant);
  if ((o->sparsity != 0 || o->bernoulli || o->majority) && !(r->has & SPARSITY))
    return o->bernoulli ? not_of(r, "bernoulli", 1) : o->majority ? not_of(r, "majority", 1) : not_of(r, "sparsity", o->sparsity);
  if (!(o->sparsity >= 0 && o->sparsity <= 0.5))
    return hed_fail(HED_E_INVAL, "hed_vsa_create: sparsity is %g, not in (0, 1/2]", o->sparsity);
  if (o->segments && !(r->has & SEGMENTS))
    return not_of(r, "segments", (double)o->segments);
  if (o->block && !(r->has & BLOCK))
    return not_of(r, "block", (double)o->block);
  if (o->diagonality != 0 && !(r->has & DIAGONALITY))
    return not_of(r, "diagonality", o->diagonality);
  if (!(o->diagonality >= 0 && o->diagonality < 1))
    return hed_fail(HED_E_INVAL, "hed_vsa_create: diagonality is %g, not in [0, 1)", o->diagonality);
  if (o->dim < 0 || o->dim > INT32_MAX || o->segments < 0 || o->block < 0)
    return hed_fail(HED_E_INVAL, "hed_vsa_create: %s is %lld, not in [0, 2^31)",
                    o->segments < 0 ? "segments" : o->block < 0 ? "block" : "dim",
                    (long long)(o->segments < 0 ? o->segments : o->block < 0 ? o->block : o->dim));
  return HED_OK;
}

/* The integer root of N, rounded down. */
static int64_t root(int64_t n)
{
  int64_t r = (int64_t)sqrt((double)n);
  while (r * r > n)
    r--;
  while ((r + 1) * (r + 1) <= n)
    r++;
  return r;
}

static hed_status square_only(const char *name, int64_t dim)
{
  const int64_t r = root(dim);
  if (r * r == dim)
    return HED_OK;
  return hed_fail(HED_E_SHAPE, "hed_vsa_create: dim of %s is %lld, which is no square; %lld and %lld are", name,
                  (long long)dim, (long long)(r * r), (long long)((r + 1) * (r + 1)));
}

static hed_status set_segments(hed_vsa_options *o)
{
  if (!o->dim)
    o->dim = o->segments && o->block ? o->segments * o->block : 10000;
  if (!o->segments && !o->block) {
    hed_status status = square_only("bsdc_seg without segments", o->dim);
    if (status != HED_OK)
      return status;
    o->segments = root(o->dim);
  }
  if (!o->segments)
    o->segments = o->dim / o->block;
  if (!o->block)
    o->block = o->dim / o->segments;
  if (o->segments < 1 || o->block < 1 || o->segments > o->dim || o->segments * o->block != o->dim)
    return hed_fail(HED_E_SHAPE, "hed_vsa_create: dim of bsdc_seg is %lld, not segments times block, %lld times %lld",
                    (long long)o->dim, (long long)o->segments, (long long)o->block);
  return HED_OK;
}

static hed_status set_dimension(hed_vsa_model m, hed_vsa_options *o)
{
  const bool phases = m == HED_VSA_MCR || m == HED_VSA_CGR;
  const int64_t most = m == HED_VSA_GHRR ? 64 : 65536;
  if (m != HED_VSA_BSDC_SEG && !o->dim)
    o->dim = m == HED_VSA_GHRR ? 1000 : 10000;
  if (phases && !o->block)
    o->block = 64;
  if (m == HED_VSA_GHRR && !o->block)
    o->block = 3;
  hed_status status = o->block > most || m != HED_VSA_BSDC_SEG ? HED_OK : set_segments(o);
  if (status == HED_OK && m == HED_VSA_VTB)
    status = square_only("vtb", o->dim);
  if (status == HED_OK && (o->block > most || (phases && o->block < 2)))
    return hed_fail(HED_E_INVAL, "hed_vsa_create: block is %lld, not in [%d, %lld]", (long long)o->block, phases ? 2 : 1,
                    (long long)most);
  if (status == HED_OK && m == HED_VSA_BSDC && o->sparsity == 0)
    o->sparsity = o->dim < 4 ? 0.5 : 1 / sqrt((double)o->dim);
  return status;
}

static hed_status set_dtype(hed_vsa *v, const struct row *r)
{
  const hed_dtype choice[5][3] = { { HED_BOOL, HED_UINT8, NULL },
                                   { HED_INT8, HED_FLOAT32, HED_FLOAT64 },
                                   { HED_FLOAT32, HED_FLOAT64, NULL },
                                   { HED_COMPLEX64, HED_COMPLEX128, NULL },
                                   { v->o.block > 256 ? HED_UINT16 : HED_UINT8, NULL, NULL } };
  const bool real_map = v->model == HED_VSA_MAP && v->o.variant;
  const hed_dtype *c = choice[0];
  for (int bit = r->types; bit > 1; bit >>= 1)
    c += 3;
  if (real_map)
    c = choice[2];
  if (v->o.variant == HED_VSA_XOR)
    c = choice[0];
  for (int i = 0; i < 3 && c[i]; i++)
    if (!v->o.dtype || v->o.dtype == c[i]) {
      v->plain = v->o.dtype = c[i];
      v->real = c[i] == HED_FLOAT64 || c[i] == HED_COMPLEX128 ? HED_FLOAT64 : HED_FLOAT32;
      return HED_OK;
    }
  return hed_fail(HED_E_DTYPE, "hed_vsa_create: dtype is %s, which %s does not have; it has %s%s%s", hed_dtype_name(v->o.dtype),
                  r->name, hed_dtype_name(c[0]), c[1] ? ", " : "", c[1] ? hed_dtype_name(c[1]) : "");
}

/* Flags that options take away or add. */
static uint32_t flags_of(const hed_vsa *v, uint32_t flags)
{
  switch (v->o.variant) {
  case HED_VSA_CONTINUOUS:
  case HED_VSA_CLIPPED:
    return flags & ~(uint32_t)(HED_VSA_SELF_INVERSE | HED_VSA_EXACT_INVERSE | HED_VSA_UNIT_NORM | HED_VSA_PACKABLE |
                               HED_VSA_BIPOLAR_BITS);
  case HED_VSA_RAW_SUM:
    return flags & ~(uint32_t)HED_VSA_UNIT_NORM;
  case HED_VSA_CDT:
    return flags & ~(uint32_t)(HED_VSA_ASSOCIATIVE | HED_VSA_SELF_INVERSE | HED_VSA_EXACT_INVERSE | HED_VSA_HAS_IDENTITY);
  case HED_VSA_SHIFT:
    return flags & ~(uint32_t)(HED_VSA_COMMUTATIVE | HED_VSA_ASSOCIATIVE | HED_VSA_SELF_INVERSE | HED_VSA_HAS_IDENTITY);
  case HED_VSA_XOR:
    return (flags & ~(uint32_t)HED_VSA_HAS_IDENTITY) | HED_VSA_SELF_INVERSE;
  default:
    break;
  }
  if (v->model == HED_VSA_GHRR && v->o.block == 1)
    flags |= HED_VSA_COMMUTATIVE;
  if (v->model == HED_VSA_HRR && v->o.inverse != HED_VSA_INVOLUTION)
    flags |= HED_VSA_EXACT_INVERSE;
  return flags;
}

static void set_layout(hed_vsa *v, const struct row *r)
{
  const int64_t d = v->o.dim, m = v->o.block;
  const bool segments = v->model == HED_VSA_BSDC_SEG && v->o.variant != HED_VSA_XOR;
  v->ops = v->o.layout == HED_VSA_PACKED ? r->packed : r->ops;
  if (v->model == HED_VSA_MAP && v->o.variant)
    v->ops = &hed__vsa_map_real;
  if (v->o.variant == HED_VSA_XOR)
    v->ops = &hed__vsa_seg_xor;
  v->plain_shape = v->model == HED_VSA_GHRR ? HED_SHAPE(d, m, m) : HED_SHAPE(segments ? v->o.segments : d);
  v->shape = v->o.layout == HED_VSA_PACKED ? HED_SHAPE((d + 63) / 64) : v->plain_shape;
  v->dtype = v->o.layout == HED_VSA_PACKED ? HED_UINT64 : v->plain;
  v->flags = flags_of(v, r->flags);
  if (v->model == HED_VSA_BSDC) {
    const double k = floor(v->o.sparsity * (double)d + 0.5);
    v->ones = k < 1 ? 1 : (int64_t)k;
  }
}

/* ---- handles ---- */

hed_status hed_vsa_create(hed_vsa_model m, const hed_vsa_options *opt, hed_vsa **out)
{
  hed_vsa *v = NULL;
  hed_status status = HED_OK;
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_vsa_create: out is NULL");
  *out = NULL;
  if (hed__expect_member("hed_vsa_create", "model", (int)m, 0, N_MODELS - 1, "hed_vsa_model") != HED_OK)
    return hed_error();
  const struct row *r = &models[m];
  if (opt && (status = check(r, opt)) != HED_OK)
    return status;
  if (!(v = calloc(1, sizeof *v)))
    return hed_fail(HED_E_NOMEM, "hed_vsa_create: no memory");
  v->model = m;
  v->name = r->name;
  if (opt)
    v->o = *opt;
  if ((status = set_dimension(m, &v->o)) == HED_OK)
    status = set_dtype(v, r);
  if (status == HED_OK && pthread_mutex_init(&v->lock, NULL) != 0)
    status = hed_fail(HED_E_NOMEM, "hed_vsa_create: no lock");
  if (status != HED_OK) {
    free(v);
    return status;
  }
  set_layout(v, r);
  atomic_init(&v->refs, 1);
  *out = v;
  return HED_OK;
}

hed_vsa *hed_vsa_retain(hed_vsa *v)
{
  if (v)
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
  return v;
}

void hed_vsa_release(hed_vsa *v)
{
  if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
    return;
  for (int c = 0; c < HED__VSA_CONSTANTS; c++)
    for (int k = 0; k < HED__VSA_SPACES; k++)
      hed_release(v->constant[c][k]);
  pthread_mutex_destroy(&v->lock);
  free(v);
}

hed_status hed_vsa_info_of(const hed_vsa *v, hed_vsa_info *out)
{
  if (!v || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_info_of: %s is NULL", v ? "out" : "the model");
  if (out->struct_size < sizeof out->struct_size || out->struct_size > 65536)
    return hed_fail(HED_E_INVAL, "hed_vsa_info_of: struct_size is %u", (unsigned)out->struct_size);
  const uint32_t size = out->struct_size;
  const hed_vsa_info info = { .struct_size = size, .model = v->model, .name = v->name, .flags = v->flags,
                              .shape = v->shape, .dtype = v->dtype, .options = v->o, .ones = v->ones };
  memset(out, 0, size);
  memcpy(out, &info, size < sizeof info ? size : sizeof info);
  return HED_OK;
}
