// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise rows: one kernel each, whatever the types and layouts of operands. L1.
 *
 * Operands of the compute type, or all of one 16-bit type, are served by the family's program; others by one for that row
 * and those types. Single elements in host memory go as arguments.
 */
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

enum { TYPES = HED_ID_CONCRETE_COUNT_, LIST = 512 };

enum {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) ROW_##ID,
#include <heddle/ops.def>
};

/* ---- what rows give ---- */

/* Bits of kinds, and of those of which a row gives bool, or the real component. */
enum { BOOL = 1 << HED_KIND_BOOL, INT = 1 << HED_KIND_INT, UINT = 1 << HED_KIND_UINT, FLOAT = 1 << HED_KIND_FLOAT,
       FLOAT16 = FLOAT, BFLOAT16 = FLOAT, COMPLEX = 1 << HED_KIND_COMPLEX, INTEGER = INT | UINT, DISCRETE = BOOL | INTEGER,
       INEXACT = FLOAT | COMPLEX, ORDERED = DISCRETE | FLOAT, ANY = ORDERED | COMPLEX };

int32_t dev_map_result(int32_t op, int32_t compute)
{
#define RESULT_T compute
#define RESULT_B HED_ID_BOOL
#define RESULT_R hed__real_of(compute)
#define HED_MAP1(ID, KIND, RESULT, expression) if (op == HED_OP_##ID && (KIND >> kind & 1)) return RESULT_##RESULT;
#define HED_MAP2 HED_MAP1
#define HED_MAPP(ID, KIND, RESULT, N, PARAMS, expression) HED_MAP1(ID, KIND, RESULT, expression)
  const int kind = hed__id_kind(compute);
#include "base/formulas/formulas.def"
  return compute;
}

/* Rows whose first operand is a condition. */
static bool takes_condition(int32_t op) { return op == HED_OP_WHERE || op == HED_OP_DIVIDE_WHERE; }

int32_t dev_map_operand(int32_t op, int32_t compute, int32_t k)
{
  return k == 0 && takes_condition(op) ? HED_ID_BOOL : compute;
}

/* Comparisons of types that no type of computation holds both of: kernels of their own compare them. */
static bool is_apart(const hed_call *c)
{
  return c->n_in == 2 && hed__compares_apart(c->op, c->in[0]->dtype, c->in[1]->dtype);
}

static int32_t mirrored(int32_t op)
{
  switch (op) {
  case HED_OP_LESS: return HED_OP_GREATER;
  case HED_OP_LESS_EQUAL: return HED_OP_GREATER_EQUAL;
  case HED_OP_GREATER: return HED_OP_LESS;
  case HED_OP_GREATER_EQUAL: return HED_OP_LESS_EQUAL;
  default: return op;
  }
}

/* ---- parameters ---- */

#define NUMBER(k, name) double name;
#define WHOLE(k, name) int32_t name;
#define FLAG(k, name) bool name;
#define HED_FIELDS(type, fields) _Static_assert(sizeof(struct { fields }) == sizeof(type), #type " has other fields");
#include "base/params.def"

/* Each as words: bits_of_hed_clip_params() and its like. */
#define NUMBER(k, name) param[k] = dev_number_bits(d, q->name);
#define WHOLE(k, name) param[k] = (uint64_t)q->name;
#define FLAG(k, name) param[k] = q->name;
#define HED_FIELDS(type, fields)                                                               \
  static bool bits_of_##type(const dev_device *d, const void *params, uint64_t *param)         \
  {                                                                                            \
    const type *q = params;                                                                    \
    (void)d;                                                                                   \
    fields                                                                                     \
    return true;                                                                               \
  }
#include "base/params.def"

bool dev_map_params(const dev_device *d, int32_t op, const void *params, uint64_t param[4])
{
#define bits_of_char NULL
  static bool (*const by_op[HED_OP_COUNT_])(const dev_device *d, const void *params, uint64_t *param) = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = bits_of_##params,
#include <heddle/ops.def>
  };
#undef bits_of_char
  return by_op[op] && by_op[op](d, params, param);
}

/* ---- the program ---- */

/* A call as a program sees it. */
typedef struct map_job {
  dev_spec spec;
  int32_t family;              /* type by which the family's program is known, DEV_TYPE_NONE: a program of this row's own */
  int32_t op;
  uint32_t host;
  int32_t first;               /* type that the first operand is given in */
  const char *apart;           /* what the row's name ends with, of comparisons of types apart; else NULL */
  const hed_view *views[4];    /* the result, operands */
  char only[LIST];
} map_job;

static bool is_host(const hed_call *c, int32_t k) { return c->host_in >> k & 1; }

/* Are all operands, and the result where it is not bool, of the 16-bit type ID? */
static bool is_all_half(const hed_call *c, int32_t id)
{
  const int32_t out = dev_map_result(c->op, c->compute);
  bool yes = c->compute == HED_ID_FLOAT32 && !takes_condition(c->op) && c->out[0]->dtype == (out == c->compute ? id : out);
  for (int32_t k = 0; k < c->n_in; k++)
    yes &= is_host(c, k) || c->in[k]->dtype == id;
  return yes;
}

static void describe_half(map_job *j, const hed_call *c, int32_t id)
{
  for (int32_t k = 0; k < 3; k++)
    j->spec.in[k] = id;
  if (c->out[0]->dtype == id)
    j->spec.out = id;
  j->family = id;
}

/* Rows as programs name them. */
const char *const dev_map_ids[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = #ID,
#include <heddle/ops.def>
};

/* Appends ID to the N bytes of a list; the new length. */
static size_t add_row(char list[LIST], size_t n, const char *id)
{
  return n + (size_t)snprintf(list + n, LIST - n, "%s%s", n > 0 ? " " : "", id);
}

/* Rows are numbered from 0, composites among them not counted. */
static const int16_t row_of_op[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = ROW_##ID + 1,
#include <heddle/ops.def>
};

/* The rows of OP's program: those whose numbers are near. */
static void list_group(char list[LIST], int32_t op, int32_t rows)
{
  const int32_t group = (row_of_op[op] - 1) / rows;
  size_t n = 0;
  for (int32_t k = 0; k < HED_OP_COUNT_; k++)
    if (row_of_op[k] > 0 && (row_of_op[k] - 1) / rows == group && n + 40 < LIST)
      n = add_row(list, n, dev_map_ids[k]);
}

static void describe_mixed(map_job *j, const hed_call *c)
{
  for (int32_t k = 0; k < c->n_in; k++)
    j->spec.in[k] = is_host(c, k) ? dev_map_operand(c->op, c->compute, k) : c->in[k]->dtype;
  j->spec.out = c->out[0]->dtype;
  (void)add_row(j->only, 0, dev_map_ids[c->op]);
  j->spec.only = j->only;
  j->family = DEV_TYPE_NONE;
}

/* The signed operand first, or the integer; it is compared as 64 bits, and so is uint64 with it, floats as they are. */
static void describe_apart(map_job *j, const hed_call *c, bool float64)
{
  const int32_t a = c->in[0]->dtype, b = c->in[1]->dtype;
  const bool is_float = hed__id_kind(a) == HED_KIND_FLOAT || hed__id_kind(b) == HED_KIND_FLOAT;
  const int32_t turn = is_float ? hed__id_kind(a) == HED_KIND_FLOAT : a == HED_ID_UINT64;
  const int32_t whole = turn ? b : a, real = turn ? a : b;
  const bool wide = hed__id_size(whole) == 8 || !float64;
  j->op = turn ? mirrored(c->op) : c->op;
  j->host = turn ? (c->host_in >> 1 & 1) | (c->host_in & 1) << 1 : c->host_in;
  j->apart = !is_float ? "signs" : hed__id_kind(whole) == HED_KIND_INT ? "ints" : "words";
  j->first = is_float && hed__id_kind(whole) == HED_KIND_UINT ? HED_ID_UINT64 : HED_ID_INT64;
  j->spec.compute = !is_float ? HED_ID_INT64 : real == HED_ID_FLOAT64 ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
  dev_row_name(j->only, j->apart);
  if (is_float && !wide) { /* float64 has them all */
    j->apart = NULL;
    j->first = j->spec.compute = HED_ID_FLOAT64;
    (void)add_row(j->only, 0, dev_map_ids[j->op]);
  }
  j->spec.only = j->only;
  for (int32_t k = 0; k < 2; k++) {
    j->views[k + 1] = c->in[k ^ turn];
    j->spec.in[k] = j->views[k + 1]->dtype;
  }
  j->family = DEV_TYPE_NONE;
}

static void describe(map_job *j, const hed_call *c, bool float64)
{
  bool natural = c->out[0]->dtype == dev_map_result(c->op, c->compute);
  j->op = c->op;
  j->host = c->host_in;
  j->spec = dev_spec_of("map", c->compute);
  j->family = j->first = c->compute;
  if (takes_condition(c->op))
    j->first = HED_ID_BOOL;
  j->apart = NULL;
  j->views[0] = c->out[0];
  for (int32_t k = 0; k < c->n_in; k++) {
    j->views[k + 1] = c->in[k];
    natural &= is_host(c, k) || c->in[k]->dtype == dev_map_operand(c->op, c->compute, k);
  }
  if (is_apart(c))
    describe_apart(j, c, float64);
  else if (is_all_half(c, HED_ID_FLOAT16))
    describe_half(j, c, HED_ID_FLOAT16);
  else if (is_all_half(c, HED_ID_BFLOAT16))
    describe_half(j, c, HED_ID_BFLOAT16);
  else if (!natural)
    describe_mixed(j, c);
}

static int32_t find_entry(dev_device *d, const map_job *j, dev_layout layout, void **entry)
{
  _Atomic(void *) *known = j->family == DEV_TYPE_NONE ? NULL
                           : &d->map_entry[((size_t)j->op * TYPES + (size_t)j->family) * DEV_LAYOUTS + layout];
  char name[64];
  dev_spec spec = j->spec;
  char list[LIST];
  if (known && (*entry = atomic_load_explicit(known, memory_order_acquire)))
    return HED_OK;
  if (known) {
    list_group(list, j->op, (int32_t)d->limits.rows);
    spec.only = list;
  }
  snprintf(name, sizeof name, "%s%s%s_%s", hed_op_names[j->op], j->apart ? "_" : "", j->apart ? j->apart : "",
           dev_layout_names[layout]);
  const int32_t status = dev_kernel(d, &spec, name, entry);
  if (status == HED_OK && known)
    atomic_store_explicit(known, *entry, memory_order_release);
  return status;
}

/* ---- the call ---- */

static int32_t run(dev_device *d, const map_job *j, const hed_call *c,
                   int32_t find(dev_device *d, const map_job *j, dev_layout layout, void **entry))
{
  dev_plan plan;
  dev_submit q;
  void *entry;
  dev_map_args args = { .host = j->host };
  int32_t status = dev_plan_make(&plan, d, c->n_in + 1, j->views, j->host);
  if (status == HED_OK)
    status = find(d, j, plan.layout, &entry);
  if (status != HED_OK)
    return status;
  for (int32_t k = 0; k < c->n_in; k++)
    if (j->host >> k & 1)
      dev_element_bits(j->views[k + 1], k == 0 ? j->first : j->spec.compute, args.value[k]);
  (void)dev_map_params(d, c->op, c->params, args.param);
  if ((status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, dev_plan_launch(&q, &plan, j->views, entry, &args), c->ticket);
  return status;
}

int32_t dev_map_call(void *state, const hed_call *c)
{
  map_job j;
  if (c->n_in > 3 || c->n_out != 1)
    return HED_E_UNSUPPORTED;
  describe(&j, c, ((dev_device *)state)->limits.float64);
  return run(state, &j, c, find_entry);
}

/* ---- phasor, which no row of formulas is: real operands, a complex result ---- */

static int32_t find_phasor(dev_device *d, const map_job *j, dev_layout layout, void **entry)
{
  char name[32];
  snprintf(name, sizeof name, "phasor%s_%s", j->views[2] ? "_rate" : "", dev_layout_names[layout]);
  return dev_kernel(d, &j->spec, name, entry);
}

int32_t dev_phasor_call(void *state, const hed_call *c)
{
  map_job j = { .spec = dev_spec_of("map", c->compute), .op = c->op, .host = c->host_in, .first = c->compute,
                .views = { c->out[0] } };
  const bool wide = c->compute == HED_ID_FLOAT64;
  j.spec.only = "PHASOR";
  for (int32_t k = 0; k < c->n_in; k++) {
    j.views[k + 1] = c->in[k];
    j.spec.in[k] = c->in[k]->dtype == c->compute || c->host_in >> k & 1 ? DEV_TYPE_NONE : c->in[k]->dtype;
  }
  j.spec.out = c->out[0]->dtype == (wide ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64) ? DEV_TYPE_NONE : c->out[0]->dtype;
  return run(state, &j, c, find_phasor);
}
