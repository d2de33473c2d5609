// SPDX-License-Identifier: BSD-3-Clause
/* The curves of a run as numbers, text, and a picture.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/nn/svg.h"
#include <heddle/kits/nn_train.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char op[] = "hed_nn_history_save";
enum { LOSS, VALIDATION, RATE, CURVES };
enum { WIDTH = 640, HEIGHT = 400, LEFT = 80, RIGHT = 20, TOP = 30, BOTTOM = 50 };

static hed_status write_npy(const hed_nn_history *h, const char *path)
{
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR("reference", return hed_error()) HED_SCOPE_OR(return hed_error()) {
    const hed_array *epoch = hed_astype(hed_arange_int(1, h->epochs + 1, 1, HED_INT64), HED_FLOAT64);
    const hed_array *list[CURVES + 1] = { epoch, h->loss, h->validation, h->rate }, *all = hed_stack(CURVES + 1, list, 1);
    status = all ? hed_save_npy(path, all) : hed_error();
  }
  return status;
}

static void write_text(hed_file *f, int64_t n, double *const *y)
{
  char text[32];
  (void)hed_file_print(f, "epoch\tloss\tvalidation\trate\n");
  for (int64_t k = 0; k < n; k++) {
    (void)hed_file_print(f, "%lld", (long long)k + 1);
    for (int i = 0; i < CURVES; i++)
      (void)hed_file_print(f, "\t%s", i == VALIDATION && isnan(y[i][k]) ? "" : hed__nn_number(y[i][k], text));
    (void)hed_file_print(f, "\n");
  }
}

/* ---- the picture ---- */

typedef struct scale {
  bool logarithmic;
  double low, high;   /* of what is drawn: logarithms there */
  int64_t n;
} scale;

/* All finite values lie in it; a curve without any has the scale from 0 to 1. */
static scale scale_of(int64_t n, double *const *y)
{
  scale s = { true, INFINITY, -INFINITY, n };
  for (int pass = 0; pass < 2; pass++)
    for (int64_t k = 0; k < 2 * n; k++) {
      const double v = y[k / n][k % n];
      if (!isfinite(v))
        continue;
      if (pass == 0) {
        s.logarithmic = s.logarithmic && v > 0;
        continue;
      }
      s.low = fmin(s.low, s.logarithmic ? log10(v) : v);
      s.high = fmax(s.high, s.logarithmic ? log10(v) : v);
    }
  if (!(s.low <= s.high))
    s = (scale){ false, 0, 1, n };
  if (s.high - s.low < 1e-9) {
    s.low -= 0.5;
    s.high += 0.5;
  }
  return s;
}

static double at_x(const scale *s, int64_t k)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * (s->n > 1 ? (double)k / (double)(s->n - 1) : 0.5);
}

static double at_y(const scale *s, double v)
{
  return TOP + (HEIGHT - TOP - BOTTOM) * (s->high - (s->logarithmic ? log10(v) : v)) / (s->high - s->low);
}

static void draw_axes(hed_file *f, const scale *s)
{
  char text[32];
  hed__svg_line(f, LEFT, TOP, LEFT, HEIGHT - BOTTOM, "#000000", NULL);
  hed__svg_line(f, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "#000000", NULL);
  for (int k = 0; k <= 4; k++) {
    const double v = s->low + (s->high - s->low) * k / 4, value = s->logarithmic ? pow(10, v) : v, y = at_y(s, value);
    hed__svg_line(f, LEFT - 5, y, LEFT, y, "#000000", NULL);
    hed__svg_text(f, LEFT - 8, y + 4, "end", hed__nn_number(round(value * 1e6) / 1e6 != 0 ? value : 0, text));
  }
  for (int64_t k = 0, ticks = s->n < 5 ? s->n : 5; k < ticks; k++) {
    const int64_t epoch = ticks > 1 ? k * (s->n - 1) / (ticks - 1) : 0;
    (void)snprintf(text, sizeof text, "%lld", (long long)epoch + 1);
    hed__svg_line(f, at_x(s, epoch), HEIGHT - BOTTOM, at_x(s, epoch), HEIGHT - BOTTOM + 5, "#000000", NULL);
    hed__svg_text(f, at_x(s, epoch), HEIGHT - BOTTOM + 20, "middle", text);
  }
  hed__svg_text(f, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "epoch");
}

/* From each value to the next one that is finite, and a dot at each. */
static void draw_curve(hed_file *f, const scale *s, const double *y, const char *name, const char *colour, double top)
{
  for (int64_t k = 0; k < s->n; k++) {
    if (!isfinite(y[k]))
      continue;
    if (k + 1 < s->n && isfinite(y[k + 1]))
      hed__svg_line(f, at_x(s, k), at_y(s, y[k]), at_x(s, k + 1), at_y(s, y[k + 1]), colour, NULL);
    hed__svg_circle(f, at_x(s, k), at_y(s, y[k]), 2, colour, colour);
  }
  hed__svg_line(f, WIDTH - RIGHT - 110, top, WIDTH - RIGHT - 80, top, colour, NULL);
  hed__svg_text(f, WIDTH - RIGHT - 75, top + 4, "start", name);
}

static void draw(hed_file *f, int64_t n, double *const *y)
{
  const scale s = scale_of(n, y);
  bool validated = false;
  for (int64_t k = 0; k < n; k++)
    validated = validated || isfinite(y[VALIDATION][k]);
  hed__svg_begin(f, WIDTH, HEIGHT);
  draw_axes(f, &s);
  draw_curve(f, &s, y[LOSS], "loss", "#1f6fb4", 14);
  if (validated)
    draw_curve(f, &s, y[VALIDATION], "validation", "#c2571a", 28);
  hed__svg_end(f);
}

hed_status hed_nn_history_save(const hed_nn_history *h, const char *path)
{
  if (!h || !path || h->epochs < 1)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !h ? "the history is NULL" : !path ? "path is NULL" : "the history has no epoch");
  if (hed__nn_ends(path, ".npy"))
    return write_npy(h, path);
  const bool picture = hed__nn_ends(path, ".svg");
  if (!picture && !hed__nn_ends(path, ".tsv"))
    return hed_fail(HED_E_INVAL, "%s: \"%.100s\" ends neither in .npy, nor in .tsv, nor in .svg", op, path);
  double *y[CURVES] = { hed__train_doubles(h->loss), hed__train_doubles(h->validation), hed__train_doubles(h->rate) };
  hed_file *f = NULL;
  hed_status status = y[LOSS] && y[VALIDATION] && y[RATE] ? hed_file_create(op, path, &f) : hed_error();
  if (status == HED_OK) {
    (picture ? draw : write_text)(f, h->epochs, y);
    status = hed_file_close(f, HED_OK);
  }
  for (int k = 0; k < CURVES; k++)
    free(y[k]);
  return status;
}
