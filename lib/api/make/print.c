// SPDX-License-Identifier: BSD-3-Clause
/* Arrays as text: see <heddle/print.h>. L3.
 *
 * What will be shown is copied to the host first (ends of shortened axes only), then the form of a number is chosen so
 * that it fits all of them, then the rows are written.
 */
#include "api/call/check.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/cast.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"

#include <heddle/error.h>
#include <heddle/print.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const op = "to_text";

enum { NUMBER = 352, MOST_DIGITS = 17 }; /* DBL_MAX with 17 digits after the point has 328 characters */

typedef struct writer {
  const hed_text_options *opt;
  hed_view shown;                /* compact, C order */
  bool gap[HED_MAX_NDIM];        /* elements are left out in the middle of the axis */
  int digits, width;             /* after the point; of a column */
  bool exponential;
  char *text;
  size_t size, room, line;       /* line: where the last one begins */
  bool failed;
} writer;

/* ---- text that grows ---- */

static void put(writer *w, const char *s, size_t n)
{
  if (w->failed)
    return;
  if (w->size + n + 1 > w->room) {
    size_t room = 2 * (w->size + n + 1) + 128;
    char *text = hed__alloc_permit() ? hed__alloc_plain(room, HED__ALIGN) : NULL; /* the caller's, for free() */
    if (!text) {
      w->failed = true;
      return;
    }
    if (w->text)
      memcpy(text, w->text, w->size);
    hed__free_plain(w->text);
    w->text = text;
    w->room = room;
  }
  memcpy(w->text + w->size, s, n);
  w->size += n;
  w->text[w->size] = 0;
}

static void put_text(writer *w, const char *s)
{
  put(w, s, strlen(s));
}

static void new_line(writer *w, int lines, int indent)
{
  for (int k = 0; k < lines; k++)
    put(w, "\n", 1);
  w->line = w->size;
  for (int k = 0; k < indent; k++)
    put(w, " ", 1);
}

/* ---- one number ---- */

/* A finite number as the locale writes it. */
static void local_text(const writer *w, double v, int digits, bool sign, char *out)
{
  snprintf(out, NUMBER, w->exponential ? sign ? "%+.*e" : "%.*e" : sign ? "%+.*f" : "%.*f", digits, v);
}

static void real_text(const writer *w, double v, int digits, bool sign, char *out)
{
  static const char known[] = "+-0123456789e";
  if (isnan(v)) {
    snprintf(out, NUMBER, sign ? "+nan" : "nan");
    return;
  }
  if (isinf(v)) {
    snprintf(out, NUMBER, v < 0 ? "-inf" : sign ? "+inf" : "inf");
    return;
  }
  local_text(w, v, digits, sign, out);
  char *point = out + strspn(out, known), *rest = point + strcspn(point, known);
  if (point < rest) { /* of one byte or several */
    *point = '.';
    memmove(point + 1, rest, strlen(rest) + 1);
  }
}

/* Digits after the point, at most MOST, from which V comes back as an element of type ID. */
static int digits_needed(const writer *w, int id, double v, int most)
{
  char s[NUMBER];
  if (!isfinite(v))
    return 1;
  for (int d = 1; d < most; d++) {
    local_text(w, v, d, false, s);
    double back = strtod(s, NULL), rounded;
    _Alignas(16) char element[16];
    hed__cast(HED_ID_FLOAT64, id)(1, element, 0, (const char *)&back, 0);
    hed__cast(id, HED_ID_FLOAT64)(1, (char *)&rounded, 0, element, 0);
    if (rounded == v)
      return d;
  }
  /* not exact within MOST: trailing zeros add nothing */
  local_text(w, v, most, false, s);
  char *end = strchr(s, 'e');
  int d = most;
  for (const char *p = (end ? end : s + strlen(s)) - 1; d > 1 && *p == '0'; p--)
    d--;
  return d;
}

static void number_text(const writer *w, const char *element, char *out)
{
  const int id = w->shown.dtype;
  double v[2];
  switch (hed__id_kind(id)) {
  case HED_KIND_BOOL:
    snprintf(out, NUMBER, *element ? "true" : "false");
    return;
  case HED_KIND_INT: {
    int64_t i;
    hed__cast(id, HED_ID_INT64)(1, (char *)&i, 0, element, 0);
    snprintf(out, NUMBER, "%lld", (long long)i);
    return;
  }
  case HED_KIND_UINT: {
    uint64_t u;
    hed__cast(id, HED_ID_UINT64)(1, (char *)&u, 0, element, 0);
    snprintf(out, NUMBER, "%llu", (unsigned long long)u);
    return;
  }
  case HED_KIND_COMPLEX:
    hed__cast(id, HED_ID_COMPLEX128)(1, (char *)v, 0, element, 0);
    real_text(w, v[0], w->digits, false, out);
    real_text(w, v[1], w->digits, true, out + strlen(out));
    memcpy(out + strlen(out), "j", 2);
    return;
  default:
    hed__cast(id, HED_ID_FLOAT64)(1, (char *)v, 0, element, 0);
    real_text(w, v[0], w->digits, false, out);
  }
}

/* ---- the form that fits all ---- */

static void choose_form(writer *w)
{
  const int id = w->shown.dtype, kind = hed__id_kind(id);
  const int64_t n = hed__view_size(&w->shown), size = hed__id_size(id);
  const char *data = w->shown.data;
  char s[2 * NUMBER];
  if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX) {
    const int parts = kind == HED_KIND_COMPLEX ? 2 : 1;
    const int part_id = parts == 1 ? id : id == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
    const int64_t step = size / parts;
    double largest = 0, least = INFINITY, v;
    for (int64_t k = 0; k < n * parts; k++) {
      hed__cast(part_id, HED_ID_FLOAT64)(1, (char *)&v, 0, data + k * step, 0);
      if (isfinite(v) && v != 0) {
        largest = fmax(largest, fabs(v));
        least = fmin(least, fabs(v));
      }
    }
    w->exponential = largest >= 1e8 || least < 1e-4;
    w->digits = 1;
    for (int64_t k = 0; k < n * parts && w->digits < w->opt->precision; k++) {
      hed__cast(part_id, HED_ID_FLOAT64)(1, (char *)&v, 0, data + k * step, 0);
      int d = digits_needed(w, part_id, v, w->opt->precision);
      w->digits = d > w->digits ? d : w->digits;
    }
  }
  for (int64_t k = 0; k < n; k++) {
    number_text(w, data + k * size, s);
    int width = (int)strlen(s);
    w->width = width > w->width ? width : w->width;
  }
}

/* ---- rows ---- */

static void put_axis(writer *w, int axis, const char *data)
{
  const hed_view *v = &w->shown;
  const bool last = axis == v->ndim - 1;
  put(w, "[", 1);
  for (int64_t k = 0; k < v->dim[axis]; k++) {
    const bool skip = w->gap[axis] && k == v->dim[axis] / 2;
    if (last) {
      char s[2 * NUMBER];
      number_text(w, data + k * v->stride[axis], s);
      size_t need = (size_t)w->width + 2 + (skip ? 5 : 0);
      if (k && w->size - w->line + need > (size_t)w->opt->line_width)
        new_line(w, 1, axis + 1);
      else if (k)
        put(w, " ", 1);
      if (skip)
        put_text(w, "... ");
      for (int pad = (int)strlen(s); pad < w->width; pad++)
        put(w, " ", 1);
      put_text(w, s);
      if (k + 1 < v->dim[axis])
        put(w, ",", 1);
      continue;
    }
    if (k)
      new_line(w, v->ndim - 1 - axis, axis + 1);
    if (skip) {
      put_text(w, "...,");
      new_line(w, v->ndim - 1 - axis, axis + 1);
    }
    put_axis(w, axis + 1, data + k * v->stride[axis]);
    if (k + 1 < v->dim[axis])
      put(w, ",", 1);
  }
  put(w, "]", 1);
}

/* ---- what is shown ---- */

/* Copies the ends of every axis that is shortened, one corner after the other. */
static hed_status copy_shown(writer *w, const hed_array *x)
{
  const hed_view *v = &x->view;
  const int64_t edge = w->opt->edge_items;
  uint32_t gaps = 0;
  for (int k = 0; k < v->ndim; k++)
    if (w->gap[k])
      gaps |= 1u << k;
  for (uint32_t corner = 0;; corner = (corner - gaps) & gaps) { /* all subsets of GAPS */
    hed_view from = *v, to = w->shown;
    for (int k = 0; k < v->ndim; k++)
      if (w->gap[k]) {
        from.dim[k] = to.dim[k] = edge;
        if (corner >> k & 1) {
          from.data = (char *)from.data + (v->dim[k] - edge) * v->stride[k];
          to.data = (char *)to.data + edge * to.stride[k];
        }
      }
    hed_status s = hed__copy_out_view(x, &from, &to);
    if (s != HED_OK || corner == gaps)
      return s;
  }
}

static hed_status check_options(const hed_text_options *in, hed_text_options *out)
{
  *out = in ? *in : (hed_text_options){ 0 };
  if (out->precision < 0 || out->precision > MOST_DIGITS)
    return hed_fail(HED_E_INVAL, "%s: precision is %d, 1 to %d digits can be shown", op, out->precision, MOST_DIGITS);
  if (out->edge_items < 0)
    return hed_fail(HED_E_INVAL, "%s: edge_items is %d", op, out->edge_items);
  if (out->line_width < 0)
    return hed_fail(HED_E_INVAL, "%s: line_width is %d", op, out->line_width);
  out->precision = out->precision ? out->precision : 4;
  out->threshold = out->threshold ? out->threshold : 1000;
  out->edge_items = out->edge_items ? out->edge_items : 3;
  out->line_width = out->line_width ? out->line_width : 96;
  return HED_OK;
}

char *hed_to_text(const hed_array *x, const hed_text_options *given)
{
  hed_text_options opt;
  if (!hed__given(x, op, "x") || check_options(given, &opt) != HED_OK)
    return NULL;
  writer w = { .opt = &opt, .shown = x->view };
  const int64_t total = hed__view_size(&x->view);
  if (opt.threshold > 0 && total > opt.threshold)
    for (int k = 0; k < w.shown.ndim; k++)
      if (w.shown.dim[k] / 2 > opt.edge_items) {
        w.gap[k] = true;
        w.shown.dim[k] = 2 * (int64_t)opt.edge_items;
      }
  const int64_t size = hed__id_size(w.shown.dtype);
  hed__c_strides(w.shown.ndim, w.shown.dim, size, w.shown.stride);
  w.shown.data = hed__buffer_new((size_t)(hed__view_size(&w.shown) * size), op);
  hed_status s = w.shown.data ? hed_wait(x) : hed_error();
  if (s == HED_OK && total > 0)
    s = copy_shown(&w, x);
  if (s == HED_OK) {
    choose_form(&w);
    if (w.shown.ndim == 0) {
      char number[2 * NUMBER];
      number_text(&w, w.shown.data, number);
      put_text(&w, number);
    } else {
      put_axis(&w, 0, w.shown.data);
    }
    if (w.failed)
      s = hed_fail(HED_E_NOMEM, "%s: no memory for the text", op);
  }
  hed__buffer_free(w.shown.data);
  if (s == HED_OK)
    return w.text;
  hed__free_plain(w.text);
  return NULL;
}

hed_status hed_print(const hed_array *x, FILE *f)
{
  HED__UNCANCELLED;
  char *text = hed_to_text(x, NULL);
  if (!text)
    return hed_error();
  hed_shape s = hed__shape_of(x);
  if (!f)
    f = stdout;
  bool done = fprintf(f, "%s %s, %s\n%s\n", hed_dtype_name(hed_array_dtype(x)), HED__TEXT(&s), hed_array_space(x),
                      text) >= 0;
  hed__free_plain(text);
  return done ? HED_OK : hed_fail(HED_E_IO, "print: the text cannot be written");
}
