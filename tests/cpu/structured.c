// SPDX-License-Identifier: BSD-3-Clause
/* Rows of the cpu module that move, choose and count elements, over dtypes, strides and thread counts. Other structured rows:
 * conform/struct.c, fft.c, linalg.c, image.c.
 */
#include "rows.h"

static const hed_plugin *cpu;
static gen g;

/* The bytes of element I of OUT are those of AT. */
static bool is_element(const hed_view *out, int64_t i, const void *at)
{
  return !memcmp(element_at(out, i), at, (size_t)hed__id_size(out->dtype));
}

/* Vectors of words of all sizes, each as often as counts say, that may be one count for all; some for several threads. */
static void repeats(void)
{
  int bad = 0;
  for (int round = 0; round < 90; round++) {
    const int type = round % HED_ID_CONCRETE_COUNT_;
    const int64_t n = round % 9 == 8 ? gen_int(&g, 50000, 60000) : gen_int(&g, 1, 40), one = 1;
    const bool alike = gen_chance(&g, 30);
    operand x = operand_new(&g, type, 1, &n, gen_chance(&g, 80)), counts = operand_new(&g, HED_ID_INT64, 1, alike ? &one : &n, true);
    int64_t total = 0, at = 0;
    operand_fill(&g, &x, false, -9, 9);
    if (alike) {
      counts.v.dim[0] = n;
      counts.v.stride[0] = 0;
      *(int64_t *)counts.v.data = gen_int(&g, 0, 20);
    }
    for (int64_t i = 0; i < n; i++) {
      int64_t *c = (int64_t *)(void *)element_at(&counts.v, i);
      *c = alike ? *c : gen_int(&g, 0, 6);
      total += *c;
    }
    operand out = operand_new(&g, type, 1, &total, gen_chance(&g, 80));
    const hed_take_params p = { .axis = 0 };
    const hed_view *in[2] = { &x.v, &counts.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_REPEAT, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = 2 };
    bool good = row_of(cpu, "repeat")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      for (int64_t c = *(int64_t *)(void *)element_at(&counts.v, i); c > 0; c--)
        good = good && is_element(&out.v, at++, element_at(&x.v, i));
    bad += !good;
    operand_free(&x);
    operand_free(&counts);
    operand_free(&out);
  }
  is_int(bad, 0, "repeat");
}

/* Words of all sizes that a mask of any true bytes chooses: few, many, none or all; the last of so many that they go past the
 * caches. */
static void compresses(void)
{
  enum { SMALL = 120, LARGE = 2, PAST = 25 << 20 };
  int bad = 0;
  for (int round = 0; round < SMALL + LARGE; round++) {
    const bool large = round >= SMALL;
    const int type = !large ? round % HED_ID_CONCRETE_COUNT_ : round == SMALL ? HED_ID_FLOAT64 : HED_ID_COMPLEX128;
    const unsigned share = large ? 60 : (unsigned)gen_int(&g, 0, 4) * 25;
    const int64_t some = round % 9 == 8 ? gen_int(&g, 50000, 60000) : gen_int(&g, 1, 300);
    const int64_t n = large ? PAST / hed__id_size(type) + some : some;
    const bool tidy = large || gen_chance(&g, 80);
    operand x = operand_new(&g, type, 1, &n, tidy), mask = operand_new(&g, HED_ID_BOOL, 1, &n, tidy);
    int64_t total = 0, at = 0;
    operand_fill(&g, &x, false, -9, 9);
    for (int64_t i = 0; i < n; i++) {
      const bool chosen = gen_chance(&g, share);
      *(uint8_t *)element_at(&mask.v, i) = (uint8_t)(chosen ? 1 << gen_int(&g, 0, 7) : 0);
      total += chosen;
    }
    operand out = operand_new(&g, type, 1, &total, gen_chance(&g, 80));
    const hed_gather_params p = { .axes = 1 };
    const hed_view *in[2] = { &x.v, &mask.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_COMPRESS, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = (int32_t)gen_int(&g, 1, 2) };
    bool good = row_of(cpu, "compress")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      if (*(uint8_t *)element_at(&mask.v, i))
        good = good && is_element(&out.v, at++, element_at(&x.v, i));
    bad += !good;
    operand_free(&x);
    operand_free(&mask);
    operand_free(&out);
  }
  is_int(bad, 0, "compress");
}

/* Values within even bins, on their edges, right beside them, outside and NaN: counted where the edges say. */
static void histograms(void)
{
  int bad = 0;
  for (int round = 0; round < 60; round++) {
    const int64_t n = gen_int(&g, 1, 2000), bins = round % 5 ? gen_int(&g, 1, 40) : gen_int(&g, 1, 3000), ends = bins + 1;
    const bool narrow = round % 3 == 0;
    const double low = round % 4 == 3 ? 1e9 : gen_normal(&g), high = low + 1e-3 + 5 * gen_unit(&g);
    operand x = operand_new(&g, narrow ? HED_ID_FLOAT32 : HED_ID_FLOAT64, 1, &n, gen_chance(&g, 80));
    operand edges = operand_new(&g, HED_ID_FLOAT64, 1, &ends, true), out = operand_new(&g, HED_ID_INT64, 1, &bins, true);
    int64_t want[3000] = { 0 };
    double *e = edges.v.data;
    for (int64_t k = 0; k < bins; k++)
      e[k] = low + (double)k * ((high - low) / (double)bins);
    e[bins] = high;
    for (int64_t i = 0; i < n; i++) {
      const int kind = (int)gen_int(&g, 0, 5);
      const double edge = e[gen_int(&g, 0, bins)];
      double v = kind == 0 ? edge : kind == 1 ? nextafter(edge, INFINITY) : kind == 2 ? nextafter(edge, -INFINITY)
               : kind == 3 ? low + (gen_unit(&g) * 1.4 - 0.2) * (high - low) : gen_chance(&g, 2) ? NAN
               : low + gen_unit(&g) * (high - low);
      if (narrow)
        *(float *)element_at(&x.v, i) = (float)v, v = (double)(float)v;
      else
        *(double *)element_at(&x.v, i) = v;
      for (int64_t k = 0; v >= e[0] && v <= e[bins]; k++)
        if (k == bins - 1 || v < e[k + 1]) {
          want[k]++;
          break;
        }
    }
    const hed_histogram_params p = { .uniform = true };
    const hed_view *in[2] = { &x.v, &edges.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_HISTOGRAM, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = HED_ID_FLOAT64, .max_threads = 2 };
    bad += row_of(cpu, "histogram")->fn(NULL, &call) != HED_OK || memcmp(out.v.data, want, (size_t)bins * 8) != 0;
    operand_free(&x);
    operand_free(&edges);
    operand_free(&out);
  }
  is_int(bad, 0, "histogram");
}

/* One value everywhere and nothing beside: round the widths of words and where the processor's instruction takes over. */
static void fills(void)
{
  int bad = 0;
  for (int round = 0; round < 20 * HED_ID_CONCRETE_COUNT_; round++) {
    const int type = round % HED_ID_CONCRETE_COUNT_, kind = hed__id_kind(type);
    const int64_t n = gen_chance(&g, 50) ? gen_int(&g, 1, 40) : gen_int(&g, 500, 5000);
    const hed_fill_params p = { kind == HED_KIND_BOOL ? 0 : 1.2345, -0.4321, kind == HED_KIND_BOOL ? 0 : 0x0102030405060708 };
    const double z[2] = { p.re, p.im };
    const bool whole = kind == HED_KIND_INT || kind == HED_KIND_UINT;
    char want[16] = { 1 };
    if (kind != HED_KIND_BOOL)
      hed__cast(whole ? HED_ID_INT64 : HED_ID_COMPLEX128, type)(1, want, 0, whole ? (const char *)&p.i : (const char *)z, 0);
    operand out = operand_new(&g, type, 1, &n, gen_chance(&g, 80));
    const hed_view *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_FILL, .n_out = 1, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = 2 };
    bool good = row_of(cpu, "fill")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      good = good && is_element(&out.v, i, want);
    bad += !good;
    operand_free(&out);
  }
  is_int(bad, 0, "fill");
}

/* Zeros outside would make an infinite weight a NaN. */
static void infinite_weights(void)
{
  float a[3] = { 1, 2, 3 }, b[2] = { 1, INFINITY }, out[4];
  const hed_view x = { a, HED_ID_FLOAT32, 1, { 3 }, { 4 } }, y = { b, HED_ID_FLOAT32, 1, { 2 }, { 4 } };
  const hed_view to = { out, HED_ID_FLOAT32, 1, { 4 }, { 4 } };
  hed_convolve_params p = { { 0 } };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_CONVOLVE_DIRECT, .n_in = 2, .n_out = 1,
                    .in = (const hed_view *[]){ &x, &y }, .out = (const hed_view *[]){ &to }, .params = &p,
                    .compute = HED_ID_FLOAT32, .max_threads = 1 };
  is_int(row_of(cpu, "convolve_direct")->fn(NULL, &call), HED_E_UNSUPPORTED, "infinite weights are for the reference");
}

int main(void)
{
  const char *why;
  if (!(cpu = mock_load(NULL, &why)))
    skip_all("no cpu module: %s", why);
  gen_seed(&g, tap_seed());
  repeats();
  compresses();
  histograms();
  fills();
  infinite_weights();
  char text[400];
  cpu->describe(NULL, text, sizeof text);
  diag("%s", text);
  is_int(atomic_load(&mock_permits), 2, "all permits were given back");
  done_testing();
  return done();
}
