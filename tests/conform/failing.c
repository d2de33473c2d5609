// SPDX-License-Identifier: BSD-3-Clause
/* Failing operands: every operation of cases.def x which operand failed x the way on which the failed one arrives x who
 * reads what comes of it. L5.
 *
 * A failed operand is what a take with an index out of range gives, a number that says which operand it is; the device
 * finds that when the take's turn comes. What depends on it must not become numbers: whoever reads it is told of that take.
 * Whether result I of a case depends on operand K is seen on the reference backend: other values of K, another result. */
#include "conform.h"
#include "rows.h"
#include "memory.h"

#include <pthread.h>

static const conform_case cases[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) { #name, job_##job, low, high, ulps, flags },
#include "cases.def"
#define HED_ROW(name, low, high, ...) { #name, row_##name, low, high, 0, 0 },
#include "failing.def"
};
enum { CASES = sizeof cases / sizeof *cases, OPERANDS = 32, INDEX = 5000, ALIVE = 3000 };

enum way { FLYING, KNOWN, OVER, LATER, STREAM, FUSED, VIEW, PART, INTO, PEER, MIXED, REFUSED, MANY, WAYS };
static const char *const way_name[WAYS] = {
  "on its way", "known to have failed", "over, and nobody knows", "the last one known, others on their way", "from another stream",
  "in a chain", "as a view", "as what was written through a view", "as what was written into", "from another device",
  "to another backend", "to a fallback", "one of thousands",
};
enum which { ONE, TWO, ALL, WHICH }; /* of the operands: each, each pair, all */
static const char *const which_name[WHICH] = { "each operand", "each pair of operands", "all operands" };

/* The backend under test; whether it is `faulty', which can be told what to do. */
static char spec[64], device[32], second[64]; /* its first device; its second one, "" where it has none */
static bool faulty;

/* ---- what the jobs call ---- */

/* One run: what is to happen to its operands and results. */
static struct {
  enum { RECORD, FAIL } mode;
  enum way way;
  uint32_t failing;              /* bit K: operand K */
  int changed;                   /* RECORD: the operand with other values, -1: none */
  uint32_t seen, refused;        /* operands that the job asked for; those of which it got none, and was told why */
  int turn;                      /* who reads the next result */
  char texts[MAX_RESULTS][160];  /* FAIL: sentences of results */
} now;

static hed_array *busy;          /* a large matrix on a device that cannot be told to wait */
static hed_array **kept;         /* operands that failed, for MANY, in the order in which jobs ask for them */
static int n_kept, next_kept;
static bool keeping;

bool is_wanted_type(hed_dtype t) { return t == HED_BOOL || t == HED_INT32 || t == HED_FLOAT32 || t == HED_COMPLEX64; }

double largest(const hed_array *x)
{
  (void)x;
  return 0;
}

/* What is said of Y, which is released. */
static hed_status waited(hed_array *y)
{
  hed_status status = y ? hed_wait(y) : hed_error();
  hed_release(y);
  return status;
}

struct DLManagedTensorVersioned { /* its head */
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
};

static hed_status read_dlpack(const hed_array *x, bool streams)
{
  struct DLManagedTensorVersioned *t = NULL;
  void *stream = NULL;
  hed_status status = hed_stream_native(device, &stream);
  if (status == HED_OK)
    status = streams ? hed_to_dlpack_stream(x, HED_COPY_IF_NEEDED, (intptr_t)stream, &t) : hed_to_dlpack(x, HED_COPY_IF_NEEDED, &t);
  hed_array *y = status == HED_OK ? hed_from_dlpack_stream(t, streams ? (intptr_t)stream : HED_STREAM_NONE) : NULL;
  if (t && !y)
    t->deleter(t);
  return waited(y);
}

static hed_status read_file(const hed_array *x)
{
  char path[4096];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/heddle-matrix-%d.npy", folder ? folder : "/tmp", (int)getpid());
  hed_status status = hed_save_npy(path, x);
  remove(path);
  return status;
}

static hed_status read_item(const hed_array *x)
{
  double v;
  hed_slice_range one[HED_MAX_NDIM];
  for (int k = 0; k < hed_array_ndim(x); k++)
    one[k] = HED_RANGE(0, 1, 1);
  hed_array *y = hed_slice(x, hed_array_ndim(x), one);
  hed_status status = y ? hed_item(y, &v) : hed_error();
  hed_release(y);
  return status;
}

static hed_status read_text(const hed_array *x)
{
  char *text = hed_to_text(x, NULL);
  hed_status status = text ? HED_OK : hed_error();
  free(text);
  return status;
}

static hed_status read_shared(const hed_array *x)
{
  char token[HED_SHARED_TOKEN];
  return waited(hed_to_shared(x, NULL, token));
}

static hed_status read_elsewhere(const hed_array *x)
{
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT("cpu;mix=copy") status = waited(hed_equal(x, x));
  return status;
}

enum { READERS = 10 };

static hed_status read_by(int reader, const hed_array *x)
{
  const bool number = hed_array_size(x) > 0 && hed_dtype_kind(hed_array_dtype(x)) != HED_KIND_COMPLEX;
  hed_status status;
  switch (reader) {
  case 1: return hed_wait(x);
  case 2: return read_text(x);
  case 3: return faulty ? read_dlpack(x, now.turn % 2) : hed_wait(x); /* others may have no number there */
  case 4: return read_file(x);
  case 5: return read_shared(x);
  case 6: return waited(hed_to(x, "reference"));
  case 7: return read_elsewhere(x);
  case 8: return second[0] ? waited(hed_to(x, second)) : hed_wait(x);
  case 9:
    if (number)
      return read_item(x);
    /* fall through */
  default: {
    void *data = malloc(hed_array_nbytes(x) + 1);
    status = hed_to_host(x, data, hed_array_nbytes(x));
    free(data);
    return status;
  }
  }
}

void put_status(run *r, hed_status status, const hed_array *x)
{
  if (r->n == MAX_RESULTS)
    bail("%s has more than %d results", r->c->name, MAX_RESULTS);
  result *out = &r->results[r->n];
  *out = (result){ .status = status };
  if (status == HED_OK && x && now.mode == RECORD) {
    const size_t bytes = hed_array_nbytes(x);
    out->dtype = (int)hed_dtype_id_of(hed_array_dtype(x));
    out->shape = hed_array_shape(x);
    out->data = malloc(bytes + 1);
    out->status = hed_to_host(x, out->data, bytes);
  } else if (status == HED_OK && x) {
    out->status = read_by(now.turn++ % READERS, x);
  }
  snprintf(now.texts[r->n++], sizeof now.texts[0], "%s", out->status == HED_OK ? "" : hed_error_text());
}

void put(run *r, const hed_array *x) { put_status(r, x ? HED_OK : hed_error(), x); }

void put_errors(run *r, const hed_array *x, double size)
{
  (void)size;
  put(r, x);
}

static void drop_results(run *r)
{
  for (int k = 0; k < r->n; k++)
    free(r->results[k].data);
  r->n = 0;
}

/* Does TEXT tell of the failure of one of the operands FAILING? */
static bool tells(const char *text, uint32_t failing)
{
  bool yes = false;
  for (int k = 0; k < OPERANDS && !yes; k++) {
    char number[16];
    snprintf(number, sizeof number, "index %d", INDEX + k);
    yes = failing >> k & 1 && strstr(text, "'take'") && strstr(text, number);
  }
  return yes;
}

/* ---- operands that failed ---- */

/* X by a take of all its rows in turn; where WRONG is not 0 the last index is that, and the take fails when its turn comes. */
static hed_array *taken(const hed_array *x, int wrong)
{
  const hed_shape s = hed_array_shape(x);
  const int64_t n = s.ndim ? s.dim[0] : 1;
  int32_t *list = malloc((size_t)n * sizeof *list);
  for (int64_t i = 0; i < n; i++)
    list[i] = i == n - 1 && wrong ? wrong : (int32_t)i;
  hed_array *index = hed_from_host(list, HED_SHAPE(n), HED_INT32);
  free(list);
  return s.ndim ? hed_take(x, index, 0) : hed_reshape(hed_take(hed_reshape(x, HED_SHAPE(1)), index, 0), s);
}

static hed_array *failed(const hed_array *x, int k) { return taken(x, INDEX + k); }

static hed_array *written(const hed_array *x, int k)
{
  hed_array *base = hed_copy(x), *bad = failed(x, k);
  if (now.way == INTO || hed_array_ndim(x) == 0)
    return hed_copy_into(base, bad) == HED_OK ? base : NULL;
  /* the first is written by what failed, then the last by what did not */
  const int64_t n = hed_array_shape(x).dim[0];
  const hed_slice_range first = HED_RANGE(0, 1, 1), last = HED_RANGE(n - 1, n, 1);
  if (hed_copy_into(hed_slice(base, 1, &first), hed_slice(bad, 1, &first)) != HED_OK)
    return NULL;
  if (n > 1)
    (void)hed_copy_into(hed_slice(base, 1, &last), hed_slice(x, 1, &last));
  return base;
}

static hed_array *failing(run *r, int k, hed_dtype t, hed_shape shape, double low, double high)
{
  hed_array *x = plain_operand(r, k, t, shape, low, high), *y;
  if (!x || hed_array_size(x) == 0)
    return x;
  switch (now.way) {
  case KNOWN:
  case LATER:
  case OVER:
    y = failed(x, k);
    if (now.way == KNOWN || (now.way == LATER && now.failing >> k == 1))
      (void)hed_wait(y);
    else if (now.way == OVER)
      (void)hed_synchronize(device);
    return y;
  case FUSED:
    y = failed(x, k);
    x = hed_positive(y); /* no truth values */
    return x ? x : y;
  case VIEW: return hed_flip(failed(hed_copy(hed_flip(x, NULL)), k), NULL);
  case PART:
  case INTO: return written(x, k);
  default: return failed(x, k);
  }
}

/* The same by another thread, which has a stream of its own. */
typedef struct order {
  run *r;
  int k;
  hed_dtype t;
  hed_shape shape;
  double low, high;
} order;

static void *carry_out_order(void *arg)
{
  const order *o = arg;
  hed_array *x = NULL;
  HED_BACKEND_CONTEXT(spec) HED_SCOPE x = hed_keep(failing(o->r, o->k, o->t, o->shape, o->low, o->high));
  return x;
}

static hed_array *from_thread(order o)
{
  pthread_t thread;
  void *made = NULL;
  if (pthread_create(&thread, NULL, carry_out_order, &o) != 0 || pthread_join(thread, &made) != 0)
    bail("no thread");
  hed_array *x = hed_to(made, device); /* of this thread's scope */
  hed_release(made);
  return x;
}

static void keep(hed_array *x)
{
  kept = realloc(kept, (size_t)(n_kept + 1) * sizeof *kept);
  kept[n_kept++] = hed_retain(x);
}

static hed_array *made(run *r, int k, hed_dtype t, hed_shape shape, double low, double high)
{
  hed_array *x = NULL;
  const bool before = hed_error() != HED_OK;
  now.seen |= UINT32_C(1) << k;
  if (now.mode == RECORD) {
    run other = { .c = r->c, .seed = r->seed + (k == now.changed) };
    return plain_operand(&other, k, t, shape, low, high);
  }
  if (!(now.failing >> k & 1)) { /* what does not fail may still be on its way, too */
    x = plain_operand(r, k, t, shape, low, high);
    return now.way == KNOWN || now.way == MIXED || hed_array_size(x) == 0 ? x : taken(x, 0);
  }
  if (now.way == MANY && !keeping && next_kept < n_kept)
    return kept[next_kept++];
  if (now.way == REFUSED)
    control("refuse=0");
  if (now.way == MIXED || now.way == PEER)
    HED_BACKEND_CONTEXT(now.way == PEER ? second : spec)
      x = failing(r, k, t, shape, low, high);
  else if (now.way == STREAM)
    x = from_thread((order){ r, k, t, shape, low, high });
  else
    x = failing(r, k, t, shape, low, high);
  if (now.way == PEER && !(x = hed_to(x, device)) && tells(hed_error_text(), now.failing)) {
    now.refused |= UINT32_C(1) << k; /* through host memory: told at once */
    return NULL;
  }
  if (now.way == REFUSED)
    control("refuse=1");
  if (!x)
    bail("operand %d of %s, %s: %s", k, r->c->name, way_name[now.way], hed_error_text());
  if (!before)
    hed_error_clear();
  if (keeping)
    keep(x);
  return x;
}

static void carry_out(run *r, const char *where, bool fused)
{
  now.seen = now.refused = 0;
  hed_error_clear();
  HED_BACKEND_CONTEXT(where) HED_SCOPE {
    /* so that what comes is on its way for a while */
    if (now.mode == FAIL && busy && now.way != KNOWN && now.way != MIXED && now.way != MANY)
      (void)!hed_matmul(busy, busy);
    if (fused)
      HED_FUSED r->c->job(r);
    else
      r->c->job(r);
  }
  hed_error_clear();
}

/* ---- what depends on what ---- */

typedef struct knowledge {
  hed_dtype dtype;
  int n;                          /* results */
  uint32_t operands;
  uint32_t needs[MAX_RESULTS];    /* operands without which a result would be another */
} knowledge;

static knowledge known[CASES];

static bool takes(const conform_case *c, char kind)
{
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(hed_op_by_name(c->name), &info);
  return strchr(info.domain, kind);
}

static hed_dtype type_of(const conform_case *c)
{
  return takes(c, 'f') ? HED_FLOAT32 : takes(c, 'i') ? HED_INT32 : takes(c, 'c') ? HED_COMPLEX64 : HED_BOOL;
}

static run a_run(int c)
{
  return (run){ .c = &cases[c], .op = hed_op_by_name(cases[c].name), .dtype = known[c].dtype, .seed = tap_seed(), .make = made };
}

static bool same_result(const result *a, const result *b)
{
  size_t bytes = a->data && b->data ? hed_dtype_size(hed_dtype_of(a->dtype)) : 0;
  for (int k = 0; k < a->shape.ndim; k++)
    bytes *= (size_t)a->shape.dim[k];
  return a->status == b->status && a->shape.ndim == b->shape.ndim &&
         memcmp(a->shape.dim, b->shape.dim, (size_t)a->shape.ndim * sizeof a->shape.dim[0]) == 0 &&
         memcmp(a->data ? a->data : "", b->data ? b->data : "", bytes) == 0;
}

/* Which operands the results of a case change with, whatever values the seed AGAIN gives. */
static bool compare(int c, int again)
{
  knowledge *w = &known[c];
  bool any = false;
  run plain = a_run(c);
  plain.seed += 16 * (uint64_t)again;
  now.mode = RECORD;
  now.changed = -1;
  carry_out(&plain, "reference", false);
  w->n = plain.n;
  w->operands = now.seen;
  for (int k = 0; k < OPERANDS; k++) {
    if (!(w->operands >> k & 1))
      continue;
    run other = a_run(c);
    other.seed = plain.seed;
    now.changed = k;
    carry_out(&other, "reference", false);
    for (int i = 0; i < w->n && i < other.n; i++)
      if (plain.results[i].status == HED_OK && other.results[i].status == HED_OK &&
          !same_result(&plain.results[i], &other.results[i]))
        w->needs[i] |= UINT32_C(1) << k;
    drop_results(&other);
  }
  drop_results(&plain);
  for (int i = 0; i < w->n; i++)
    any |= w->needs[i] != 0;
  return any;
}

static void learn(int c, hed_dtype t)
{
  bool any = false;
  known[c] = (knowledge){ .dtype = t };
  for (int again = 0; again < 8 && !any; again++) /* the union of sets that hold all values already does not change */
    any = compare(c, again);
  if (!any && t != HED_COMPLEX64 && takes(&cases[c], 'c')) /* imaginary parts */
    learn(c, HED_COMPLEX64);
}

/* ---- the matrix ---- */

typedef struct tally {
  int checked, bad;
  char list[1500];
} tally;

static void blame(tally *t, int c, int i, const char *text)
{
  const size_t used = strlen(t->list);
  if (t->bad++ < 12)
    snprintf(t->list + used, sizeof t->list - used, "\n%s, result %d: %.90s", cases[c].name, i, text[0] ? text : "HED_OK");
}

/* Is case C in this run? On other devices, which compile for each, one in many is, and one of two and of three operands. */
static bool in_turn(int c)
{
  enum { SHARES = 32 };
  const char *full = getenv("HEDDLE_TEST_FULL");
  const int op = hed_op_by_name(cases[c].name);
  if (!in_sample(c / 3)) /* thorough() takes one in three of each three */
    return false;
  return faulty || (full && *full) || (uint64_t)c % SHARES == tap_seed() % SHARES || op == HED_OP_ADD || op == HED_OP_FMA;
}

static void try_operands(int c, enum way way, uint32_t failing, tally *t)
{
  run r = a_run(c);
  now.mode = FAIL;
  now.way = way;
  now.failing = failing;
  now.turn = (int)(tap_seed() % READERS) + c + (int)way;
  if (faulty)
    control(way == FLYING || way == FUSED || way == PART ? "hold=1" : "hold=0");
  carry_out(&r, way == MIXED ? "reference;mix=copy" : spec, way == FUSED);
  if (faulty)
    control("hold=0;refuse=0");
  bool told = false; /* a call without an operand, because that failed, leaves the error that was there */
  for (int i = 0; i < r.n && i < known[c].n && !keeping; i++) {
    told |= tells(now.texts[i], now.failing);
    const uint32_t needed = known[c].needs[i] & now.failing;
    if (!needed || (r.results[i].status == HED_OK && needed & now.refused && may_lack_operand(r.c))) /* a call without that operand */
      continue;
    t->checked++;
    /* the call's first operand is told of (from another device perhaps of the last, at once); what other results had first, the
     * case alone knows */
    const bool ordered = i == 0 && (cases[c].job == job_binary || cases[c].job == job_three) && (way != PEER || faulty);
    if (r.results[i].status == HED_OK || !(ordered ? tells(now.texts[i], needed & -needed) : told))
      blame(t, c, i, r.results[i].status == HED_OK ? "" : now.texts[i]);
  }
  drop_results(&r);
}

static void try_case(int c, enum way way, enum which which, tally *t)
{
  const uint32_t all = known[c].operands;
  if (!in_turn(c))
    return;
  if (which == ALL && (all & (all - 1)) != 0)
    try_operands(c, way, all, t);
  for (int k = 0; k < OPERANDS && which != ALL; k++)
    for (int j = which == ONE ? k : 0; j <= (which == ONE ? k : k - 1); j++) {
      const uint32_t failing = UINT32_C(1) << k | UINT32_C(1) << j;
      if ((all & failing) == failing && (k + j < 3 || thorough(k + j)))
        try_operands(c, way, failing, t);
    }
}

/* One more failed array, which nobody looks at. */
static void keep_one(void)
{
  HED_BACKEND_CONTEXT(spec) HED_SCOPE keep(failed(hed_zeros(HED_SHAPE(2), HED_FLOAT32), 0));
}

static void report(const char *backend, enum way way, enum which which, const tally *t)
{
  if (!ok(t->checked > 0 && t->bad == 0, "%s: %s failed, %s: %d results tell of it", backend, which_name[which], way_name[way],
          t->checked))
    diag("%d of %d do not:%s", t->bad, t->checked, t->list);
}

static void matrix(const char *backend)
{
  for (int way = 0; way < MANY; way++) {
    if ((way == PEER && !second[0]) || (way == REFUSED && !faulty))
      continue;
    for (int which = way == LATER ? TWO : ONE; which < WHICH; which++) {
      tally t = { 0 };
      for (int c = 0; c < CASES; c++)
        if (!faulty || thorough(c + way + which))
          try_case(c, (enum way)way, (enum which)which, &t);
      report(backend, (enum way)way, (enum which)which, &t);
    }
  }
  tally t = { 0 };
  for (int pass = 0; pass < 2; pass++) {
    keeping = pass == 0;
    next_kept = 0;
    while (pass == 1 && n_kept < ALIVE)
      keep_one();
    for (int c = 0; c < CASES; c++)
      if (in_turn(c))
        try_operands(c, MANY, known[c].operands, &t);
  }
  report(backend, MANY, ALL, &t);
  for (int k = 0; k < n_kept; k++)
    hed_release(kept[k]);
}

/* One failure and very many that depend on it. */
static void test_used_often(const char *backend)
{
  enum { TIMES = 1100 };
  int told = 0;
  HED_BACKEND_CONTEXT(spec) HED_SCOPE {
    hed_array *x = hed_zeros(HED_SHAPE(3), HED_FLOAT32), *bad = failed(x, 0), *y[TIMES];
    for (int k = 0; k < TIMES; k++)
      y[k] = k % 2 ? hed_add(x, k > 1 ? y[k - 2] : bad) : hed_add(bad, x);
    for (int k = 0; k < TIMES; k++)
      told += hed_wait(hed_add_scalar(y[k], 1)) == HED_E_ASYNC && tells(hed_error_text(), 1);
  }
  hed_error_clear();
  is_int(told, TIMES, "%s: what is made of one failure %d times tells of it", backend, TIMES);
}

#include "bystanders.h"

/* A matrix whose square takes some milliseconds on whatever the device is. */
static void make_busy(void)
{
  enum { LEAST = 64, MOST = 2048 };
  const double enough = 0.003;
  HED_BACKEND_CONTEXT(spec) {
    double took = 0;
    for (int64_t n = LEAST; n <= MOST && took < enough; n *= 2) {
      hed_release(busy);
      busy = hed_zeros(HED_SHAPE(n, n), HED_FLOAT32);
      for (int k = 0; k < 2; k++) { /* the first time it is compiled */
        const double from = seconds();
        hed_array *square = hed_matmul(busy, busy);
        (void)hed_wait(square);
        hed_release(square);
        took = seconds() - from;
      }
    }
  }
}

/* Every operation that takes arrays is in the matrix, and has results that change with them; fill() alone only writes to its. */
static void complete(void)
{
  int missing = 0;
  for (int op = 0; op < hed_op_count(); op++) {
    hed_op_info info = { .struct_size = sizeof info };
    hed_op_query(op, &info);
    uint32_t needs = 0;
    for (int c = 0; c < CASES; c++)
      for (int i = 0; i < known[c].n && strcmp(cases[c].name, info.name) == 0; i++)
        needs |= known[c].needs[i];
    if (needs || !strstr(info.args, ":array") || op == HED_OP_FILL)
      continue;
    missing++;
    diag("no result of %s depends on an operand", info.name);
  }
  is_int(missing, 0, "every operation that takes arrays has a result that depends on one");
}

int main(int argc, char **argv)
{
  const char *backend = argc > 1 ? argv[1] : "faulty";
  tap_seed();
  faulty = strcmp(backend, "faulty") == 0;
  if (hed_backend_require(backend) != HED_OK)
    skip_all("no %s backend: %s", backend, hed_error_text());
  const char *more = hed_device_supports(backend, "float64") ? "" : ";dtype=relaxed";
  snprintf(spec, sizeof spec, "%s%s", backend, more);
  snprintf(device, sizeof device, "%s:0", backend);
  if (hed_device_count(backend) > 1)
    snprintf(second, sizeof second, "%s:1%s", backend, more);
  if (faulty)
    control("delay_us=0;jitter_us=0");
  else
    make_busy();
  for (int c = 0; c < CASES; c++)
    learn(c, type_of(&cases[c]));
  complete();
  matrix(backend);
  test_used_often(backend);
  test_bystanders(backend);
  hed_release(busy);
  if (faulty)
    is_int(query("fates"), 0, "the device keeps no failure that nobody can ask for");
  return done();
}
