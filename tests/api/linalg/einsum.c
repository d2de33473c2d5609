// SPDX-License-Identifier: BSD-3-Clause
/* einsum's order of contraction: random networks of up to 32 operands against one loop over all labels, the best order
 * against all orders, limits of memory, labels beyond letters, the cache and threads that share it.
 */
#include "api.h"
#include "gen.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LABELS = 10, MOST = 32 };

typedef struct network {
  int n, len[MOST], label[MOST][4], out_len, out[LABELS];
  int64_t extent[LABELS];
  char text[1024];
  double values[MOST][256];
  hed_array *x[MOST];
} network;

/* Labels written as letters, or as characters beyond them. */
static char *write_label(char *p, int label, bool strange)
{
  static const char *const far[LABELS] = { "a", "Z", "{", "~", "\x7f", "\xc2\x80", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                           "\xce\xb1" };
  return p + (strange ? sprintf(p, "%s", far[label]) : sprintf(p, "%c", 'p' + label));
}

static void draw(gen *g, network *w, int n, bool strange)
{
  bool there[LABELS] = { false };
  char *p = w->text;
  w->n = n;
  for (int k = 0; k < LABELS; k++)
    w->extent[k] = gen_int(g, 1, 3);
  for (int k = 0; k < n; k++) {
    hed_shape s = { .ndim = (int)gen_int(g, 1, n > 12 ? 2 : 4) };
    w->len[k] = s.ndim;
    for (int j = 0; j < s.ndim; j++) {
      int label = w->label[k][j] = (int)gen_below(g, n > 12 ? 6 : LABELS);
      there[label] = true;
      s.dim[j] = w->extent[label];
      p = write_label(p, label, strange);
    }
    *p++ = ',';
    for (int j = 0; j < 256; j++)
      w->values[k][j] = (double)gen_int(g, -2, 2);
    w->x[k] = api_array(s, HED_FLOAT64, w->values[k]);
  }
  p[-1] = '-';
  *p++ = '>';
  w->out_len = 0;
  for (int k = 0; k < LABELS; k++)
    if (there[k] && gen_chance(g, 30))
      p = write_label(p, w->out[w->out_len++] = k, strange);
  *p = 0;
  for (int k = 0; k < LABELS; k++)
    w->extent[k] = there[k] ? w->extent[k] : 1;
}

static void forget(network *w)
{
  for (int k = 0; k < w->n; k++)
    hed_release(w->x[k]);
}

static int64_t loop(const network *w, double *want)
{
  int64_t total = 1, size = 1;
  for (int k = 0; k < LABELS; k++)
    total *= w->extent[k];
  for (int k = 0; k < w->out_len; k++)
    size *= w->extent[w->out[k]];
  memset(want, 0, (size_t)size * sizeof *want);
  for (int64_t i = 0; i < total; i++) {
    int64_t index[LABELS], rest = i, to = 0;
    double product = 1;
    for (int k = 0; k < LABELS; k++) {
      index[k] = rest % w->extent[k];
      rest /= w->extent[k];
    }
    for (int k = 0; k < w->n && product != 0; k++) {
      int64_t at = 0;
      for (int j = 0; j < w->len[k]; j++)
        at = at * w->extent[w->label[k][j]] + index[w->label[k][j]];
      product *= w->values[k][at];
    }
    for (int k = 0; k < w->out_len; k++)
      to = to * w->extent[w->out[k]] + index[w->out[k]];
    want[to] += product;
  }
  return size;
}

static void random_networks(const char *backend)
{
  static network w;
  static double want[API_MAX], got[API_MAX];
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 60 && good; round++) {
    draw(&g, &w, round < 40 ? (int)gen_int(&g, 1, 9) : (int)gen_int(&g, 10, MOST), round % 2);
    int64_t size = 1;
    for (int k = 0; k < w.out_len; k++)
      size *= w.extent[w.out[k]];
    if (size <= API_MAX) {
      loop(&w, want);
      for (int order = HED_EINSUM_AUTO; order <= HED_EINSUM_GIVEN && good; order++) {
        hed_einsum_options o = { .order = (hed_einsum_order)order, .memory = gen_chance(&g, 30) ? 64 : 0 };
        hed_array *y = hed_einsum_with(w.text, w.n, (const hed_array *const *)w.x, &o);
        good = y && hed_array_ndim(y) == w.out_len && api_values(y, got) == size;
        for (int64_t k = 0; k < size && good; k++)
          good = got[k] == want[k];
        hed_release(y);
        if (!good)
          diag("round %d, order %d: \"%s\": %s", round, order, w.text, hed_error_text());
      }
    }
    forget(&w);
  }
  ok(good, "%s: random networks in every order", backend);
}

/* ---- the best order ---- */

/* Operations of the cheapest order of what is left: sets of labels as bits. */
static double cheapest(const network *w, int n, const unsigned *term, unsigned out)
{
  double least = -1;
  if (n == 1)
    return 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      unsigned next[8], need = out, all = term[i] | term[j];
      int m = 0;
      double size = 1;
      for (int k = 0; k < n; k++)
        if (k != i && k != j) {
          need |= term[k];
          next[m++] = term[k];
        }
      next[m++] = all & need;
      for (int k = 0; k < LABELS; k++)
        size *= all >> k & 1u ? (double)w->extent[k] : 1;
      double cost = size * ((all & need) == all ? 1 : 2) + cheapest(w, m, next, out);
      if (least < 0 || cost < least)
        least = cost;
    }
  return least;
}

static void best_order(void)
{
  static network w;
  gen g;
  gen_seed(&g, tap_seed() + 1);
  bool good = true;
  for (int round = 0; round < 60 && good; round++) {
    draw(&g, &w, (int)gen_int(&g, 3, 5), false);
    unsigned term[8] = { 0 }, out = 0, kept[8];
    double sums = 0;
    for (int k = 0; k < w.n; k++)
      for (int j = 0; j < w.len[k]; j++)
        term[k] |= 1u << w.label[k][j];
    for (int k = 0; k < w.out_len; k++)
      out |= 1u << w.out[k];
    for (int k = 0; k < w.n; k++) {
      unsigned need = out;
      double size = 1;
      for (int j = 0; j < w.n; j++)
        need |= j != k ? term[j] : 0;
      for (int j = 0; j < LABELS; j++)
        size *= term[k] >> j & 1u ? (double)w.extent[j] : 1;
      kept[k] = term[k] & need;
      sums += kept[k] != term[k] ? size : 0;
    }
    hed_einsum_order_info info = { .struct_size = sizeof info }, other = info;
    double least = sums + cheapest(&w, w.n, kept, out);
    good = hed_einsum_path(w.text, w.n, (const hed_array *const *)w.x, NULL, &info) == HED_OK && info.optimal
           && info.steps == w.n - 1 && info.flops == least;
    good = good && hed_einsum_path(w.text, w.n, (const hed_array *const *)w.x,
                                   &(hed_einsum_options){ .order = HED_EINSUM_GREEDY }, &other) == HED_OK
           && other.flops >= least;
    if (!good)
      diag("\"%s\": %g operations, the best order has %g (greedy %g)", w.text, info.flops, least, other.flops);
    forget(&w);
  }
  ok(good, "the order of fewest operations");

  hed_array *a = hed_ones(HED_SHAPE(10, 100), HED_FLOAT32), *b = hed_ones(HED_SHAPE(100, 5), HED_FLOAT32);
  hed_array *c = hed_ones(HED_SHAPE(5, 50), HED_FLOAT32);
  const hed_array *const chain[3] = { a, b, c };
  hed_einsum_order_info info = { .struct_size = sizeof info };
  is_int(hed_einsum_path("ij,jk,kl->il", 3, chain, NULL, &info), HED_OK, "a chain of matrices");
  ok(info.left[0] == 0 && info.right[0] == 1 && info.left[1] == 0 && info.right[1] == 1, "from the left");
  is_near(info.flops, 2 * (10. * 100 * 5 + 10 * 5 * 50), 0, 0, "its operations");
  is_near(info.flops_naive, 3. * 10 * 100 * 5 * 50, 0, 0, "those of one loop");
  is_near(info.largest, 50, 0, 0, "the largest intermediate");
  is_int(hed_einsum_path("ij,jk,kl->il", 3, chain, &(hed_einsum_options){ .memory = 100 }, &info), HED_OK, "too small a limit");
  is_near(info.largest, 50, 0, 0, "takes the least there is");
  is_int(hed_einsum_path("ij,kl,jk->il", 3, (const hed_array *const[]){ a, c, b },
                         &(hed_einsum_options){ .order = HED_EINSUM_GIVEN }, &info), HED_OK, "in the order given");
  is_near(info.largest, 10. * 100 * 5 * 50, 0, 0, "with an outer product");
  hed_array *y = hed_ones(HED_SHAPE(10, 50), HED_FLOAT64), *z = hed_flip(y, NULL);
  is_int(hed_einsum_into(z, "ij,jk,kl->il", 3, chain), HED_OK, "into an array");
  double got[API_MAX];
  api_values(y, got);
  is_near(got[499], 500, 0, 0, "its values");
  API_FAIL(hed_einsum_into(z, "ij,jk,kl->li", 3, chain), HED_E_SHAPE, "einsum: out has shape (10, 50), the result (50, 10)");
  API_FAIL(hed_einsum_path("ij,jk,kl->il", 3, chain, NULL, NULL), HED_E_INVAL, "einsum_path: out is NULL");
  API_FAIL(hed_einsum_path("ij,jk,kl->il", 3, chain, NULL, &(hed_einsum_order_info){ 0 }), HED_E_INVAL, "struct_size");
  API_FAIL(hed_einsum_path("ij,jk", 3, chain, NULL, &info), HED_E_INVAL, "2 terms for 3 operands");
  API_NULL(hed_einsum_with("ij,jk,kl->il", 3, chain, &(hed_einsum_options){ .order = (hed_einsum_order)7 }), HED_E_INVAL,
           "einsum: order 7");
  API_NULL(hed_einsum("i\xc3,jk,kl", 3, chain), HED_E_INVAL, "character 195 at position 1 is no label");
  API_NULL(hed_einsum("i\xc0\x80,jk,kl", 3, chain), HED_E_INVAL, "character 192 at position 1");
  API_NULL(hed_einsum("i5,jk,kl", 3, chain), HED_E_INVAL, "character 53 at position 1");
  RELEASE(a, b, c, y, z);
}

/* ---- the cache ---- */

static void look(void *arg, const hed_cache_stats *s)
{
  if (!strcmp(s->name, "einsum.paths"))
    *(hed_cache_stats *)arg = *s;
}

static hed_cache_stats cache(void)
{
  hed_cache_stats s = { .struct_size = 0 };
  hed_cache_list(look, &s);
  return s;
}

static void one(int64_t i, int64_t j)
{
  hed_array *a = hed_ones(HED_SHAPE(i, j), HED_FLOAT32), *b = hed_ones(HED_SHAPE(j), HED_FLOAT32);
  hed_array *y = hed_einsum("ab,b,a->a", 3, (const hed_array *const[]){ a, b, a ? hed_ones(HED_SHAPE(i), HED_FLOAT32) : NULL });
  double v = 0;
  hed_array *first = hed_index(y, 0, 0);
  if (!y || hed_item(first, &v) != HED_OK || v != (double)j)
    fail("einsum of %lld by %lld: %g, %s", (long long)i, (long long)j, v, hed_error_text());
}

static void *many(void *arg)
{
  (void)arg;
  for (int k = 0; k < 60; k++)
    HED_SCOPE one(40 + k % 6, 4);
  return NULL;
}

static void cached(void)
{
  hed_cache_stats before = cache();
  HED_SCOPE one(5, 7);
  hed_cache_stats first = cache();
  HED_SCOPE one(5, 7);
  hed_cache_stats second = cache();
  is_uint(first.misses - before.misses, 1, "a new problem is a miss");
  is_uint(first.hits - before.hits, 0, "and no hit");
  is_uint(second.hits - first.hits, 1, "the second time it is a hit");
  is_uint(second.misses - first.misses, 0, "and no miss");
  HED_SCOPE one(5, 8);
  is_uint(cache().misses - second.misses, 1, "another shape is another problem");
  for (int k = 0; k < 300; k++)
    HED_SCOPE one(2 + k % 150, 2 + k / 150);
  hed_cache_stats full = cache();
  is_int(full.entries, full.capacity, "the table is full");
  ok(full.evictions > second.evictions, "what was not used goes");
  ok(full.bytes > 0, "its bytes are known");
  before = cache();
  pthread_t t[8];
  for (int k = 0; k < 8; k++)
    if (pthread_create(&t[k], NULL, many, NULL))
      bail("no thread");
  for (int k = 0; k < 8; k++)
    pthread_join(t[k], NULL);
  hed_cache_stats after = cache();
  is_uint(after.misses - before.misses, 6, "six new problems on eight threads are looked at once each");
  is_uint(after.hits - before.hits, 8 * 60 - 6, "all the others are hits");
}

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  api_each_backend(random_networks);
  best_order();
  cached();
  done_testing();
  return done();
}
