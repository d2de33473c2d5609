// SPDX-License-Identifier: BSD-3-Clause
/* Sums of a profile's events by operation, backend, thread or context, as text or JSON; two runs side by side.
 *
 * Layer: L5.
 */
#include "tools/emit.h"
#include "profile.h"
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

static bool is(const profile_data *d, const profile_event *e, const char *category)
{
  return strcmp(profile_text(d, e->category), category) == 0;
}

/* By which text E counts; -1: it does not. */
static int32_t key_of(const profile_data *d, const profile_event *e, int by)
{
  const bool scope = is(d, e, "context"), range = is(d, e, "range");
  switch (by) {
  case PROFILE_BY_OP: return scope || range ? -1 : e->name;
  case PROFILE_BY_BACKEND: return is(d, e, "op") ? e->on : -1;
  case PROFILE_BY_THREAD: return scope || range ? -1 : e->track;
  case PROFILE_BY_RANGE: return range ? e->name : -1;
  default: return scope ? e->name : e->context ? e->context : -1;
  }
}

typedef struct keyed {
  int32_t key, on;
  bool fallback;
  size_t event;
} keyed;

static int by_key(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->on != y->on)
    return x->on < y->on ? -1 : 1;
  return x->fallback - y->fallback;
}

static void count(const profile_data *d, profile_row *row, const profile_event *e, int by)
{
  const bool scope = is(d, e, "context");
  row->own += e->own;
  row->moving += e->bytes && is(d, e, "op") ? e->own : 0;
  row->bytes += e->bytes;
  row->why = e->why ? e->why : row->why;
  row->fallback |= e->fallback;
  /* of threads and contexts what is within is not counted twice */
  if (by == PROFILE_BY_THREAD)
    row->total += e->own;
  else if (by != PROFILE_BY_CONTEXT || scope)
    row->total += e->length;
  if (by == PROFILE_BY_CONTEXT)
    row->calls += e->calls;
  else
    row->calls += e->calls ? e->calls : (by == PROFILE_BY_OP || by == PROFILE_BY_RANGE) && !e->goes_on;
}

/* For qsort: what orders the rows, of the last call. */
static const profile_data *order_data;
static int order_by;

static double weight(const profile_row *r)
{
  switch (order_by) {
  case PROFILE_SORT_TOTAL: return r->total;
  case PROFILE_SORT_CALLS: return (double)r->calls;
  case PROFILE_SORT_MEAN: return r->calls ? r->total / (double)r->calls : 0;
  case PROFILE_SORT_BYTES: return (double)r->bytes;
  default: return r->own;
  }
}

static int by_weight(const void *a, const void *b)
{
  const profile_row *x = a, *y = b;
  if (x->fallback != y->fallback)
    return x->fallback ? -1 : 1;
  if (order_by != PROFILE_SORT_NAME && weight(x) != weight(y))
    return weight(x) > weight(y) ? -1 : 1;
  return strcmp(profile_text(order_data, x->key), profile_text(order_data, y->key));
}

int profile_sum(const profile_data *d, int by, int sort, profile_sums *out)
{
  size_t n = 0;
  keyed *list = malloc((d->n + 1) * sizeof *list);
  *out = (profile_sums){ 0 };
  out->row = calloc(d->n + 1, sizeof *out->row);
  if (!list || !out->row) {
    free(list);
    return tool_fail(STATUS_MEMORY, "no memory for the table");
  }
  for (size_t k = 0; k < d->n; k++) {
    const profile_event *e = &d->event[k];
    const int32_t key = key_of(d, e, by);
    out->calls += e->calls;
    out->copies += e->copies;
    out->fallbacks += e->fallback;
    out->passes += e->fused > 0;
    if (key >= 0)
      list[n++] = (keyed){ .key = key, .on = by == PROFILE_BY_OP ? e->on : 0, .event = k,
                           .fallback = by == PROFILE_BY_OP && e->fallback };
  }
  qsort(list, n, sizeof *list, by_key);
  for (size_t k = 0; k < n; k++) {
    if (k == 0 || by_key(&list[k], &list[k - 1]) != 0)
      out->row[out->n++] = (profile_row){ .key = list[k].key, .on = list[k].on };
    count(d, &out->row[out->n - 1], &d->event[list[k].event], by);
  }
  free(list);
  for (size_t k = 0; by == PROFILE_BY_THREAD && k < out->n; k++)
    out->row[k].key = d->track[out->row[k].key].name;
  order_data = d;
  order_by = sort;
  qsort(out->row, out->n, sizeof *out->row, by_weight);
  return 0;
}

/* ---- text ---- */

static const char *const names[] = { "operation", "backend", "thread", "context", "range" };

/* What of a row's time its bytes would take: of operations, where all are on one device that is here. Below 0: not known. */
static double share_of_floor(const profile_data *d, const profile_row *r, int by, profile_floors *floors)
{
  const int32_t device = by == PROFILE_BY_OP ? r->on : by == PROFILE_BY_BACKEND ? r->key : -1;
  const double rate = floors && device >= 0 && r->moving > 0 ? profile_bandwidth(floors, profile_text(d, device)) : 0;
  return rate > 0 ? (double)r->bytes / rate * 1e6 / r->moving : -1;
}

static void print_bytes(double bytes)
{
  static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  int k = 0;
  for (; bytes >= 10240 && k < 4; k++)
    bytes /= 1024;
  printf(" %7.0f %-3s", bytes, unit[k]);
}

static void print_floors(const profile_floors *f)
{
  for (int k = 0; k < f->n; k++)
    if (f->of[k].rate > 0)
      printf("floor: copies on %s move %.1f GB/s\n", f->of[k].device, f->of[k].rate / 1e9);
}

static void print_text(const profile_data *d, const profile_sums *s, int by, profile_floors *floors)
{
  printf("%-28s%s %9s %12s %12s %12s %11s%s\n", names[by], by == PROFILE_BY_OP ? " on          " : "", "calls", "total ms", "own ms",
         "mean us", "bytes", floors ? "   floor" : "");
  for (size_t k = 0; k < s->n; k++) {
    const profile_row *r = &s->row[k];
    printf("%-28.60s", profile_text(d, r->key));
    if (by == PROFILE_BY_OP)
      printf(" %-12s", profile_text(d, r->on));
    printf(" %9llu %12.3f %12.3f %12.3f", (unsigned long long)r->calls, r->total / 1e3, r->own / 1e3,
           r->calls ? r->total / (double)r->calls : 0);
    print_bytes((double)r->bytes);
    const double share = share_of_floor(d, r, by, floors);
    if (floors && share >= 0)
      printf(" %5.0f %%", 100 * share);
    else if (floors)
      printf(" %7s", "");
    printf("%s%s\n", r->why ? "  fallback: " : "", profile_text(d, r->why));
  }
  printf("%llu operations, %llu fallbacks, %llu copies between memory spaces, %llu fused passes\n", (unsigned long long)s->calls,
         (unsigned long long)s->fallbacks, (unsigned long long)s->copies, (unsigned long long)s->passes);
  if (floors)
    print_floors(floors);
  if (d->dropped)
    printf("%llu records were dropped for want of room\n", (unsigned long long)d->dropped);
}

/* ---- JSON ---- */

static void emit_row(emit *e, const profile_data *d, const profile_row *r, int by, profile_floors *floors)
{
  const double share = share_of_floor(d, r, by, floors);
  emit_object(e, NULL);
  emit_string(e, names[by], profile_text(d, r->key));
  if (by == PROFILE_BY_OP)
    emit_string(e, "on", profile_text(d, r->on));
  emit_int(e, "calls", (int64_t)r->calls);
  emit_number(e, "total_us", r->total);
  emit_number(e, "own_us", r->own);
  emit_int(e, "bytes", (int64_t)r->bytes);
  emit_bool(e, "fallback", r->fallback);
  if (share >= 0)
    emit_number(e, "floor_share", share);
  if (r->why)
    emit_string(e, "why", profile_text(d, r->why));
  emit_object_end(e);
}

static int print_json(const profile_data *d, const profile_sums *s, int by, profile_floors *floors)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.profile-table/1");
  emit_int(&e, "calls", (int64_t)s->calls);
  emit_int(&e, "fallbacks", (int64_t)s->fallbacks);
  emit_int(&e, "copies", (int64_t)s->copies);
  emit_int(&e, "fused_passes", (int64_t)s->passes);
  emit_int(&e, "dropped", (int64_t)d->dropped);
  emit_array(&e, "rows");
  for (size_t k = 0; k < s->n; k++)
    emit_row(&e, d, &s->row[k], by, floors);
  emit_array_end(&e);
  if (floors) {
    emit_array(&e, "floors");
    for (int k = 0; k < floors->n; k++) {
      emit_object(&e, NULL);
      emit_string(&e, "on", floors->of[k].device);
      emit_number(&e, "bytes_per_second", floors->of[k].rate);
      emit_object_end(&e);
    }
    emit_array_end(&e);
  }
  emit_object_end(&e);
  return tool_emit(&e);
}

int profile_print(const profile_data *d, const profile_sums *s, int by, bool json, profile_floors *floors)
{
  if (json)
    return print_json(d, s, by, floors);
  print_text(d, s, by, floors);
  return 0;
}

/* ---- two runs ---- */

static const profile_row *same_row(const profile_data *d, const profile_row *r, const profile_data *o, const profile_sums *old)
{
  for (size_t k = 0; k < old->n; k++)
    if (strcmp(profile_text(d, r->key), profile_text(o, old->row[k].key)) == 0 &&
        strcmp(profile_text(d, r->on), profile_text(o, old->row[k].on)) == 0 && r->fallback == old->row[k].fallback)
      return &old->row[k];
  return NULL;
}

static void compare_row(emit *e, const char *key, const char *on, const profile_row *before, const profile_row *now)
{
  const double was = before ? before->own : 0, is_now = now ? now->own : 0;
  if (!e) {
    printf("%-28.60s %-12s %9llu %9llu %12.3f %12.3f %+12.3f\n", key, on, before ? (unsigned long long)before->calls : 0,
           now ? (unsigned long long)now->calls : 0, was / 1e3, is_now / 1e3, (is_now - was) / 1e3);
    return;
  }
  emit_object(e, NULL);
  emit_string(e, "name", key);
  emit_string(e, "on", on);
  emit_int(e, "calls_before", before ? (int64_t)before->calls : 0);
  emit_int(e, "calls", now ? (int64_t)now->calls : 0);
  emit_number(e, "own_us_before", was);
  emit_number(e, "own_us", is_now);
  emit_object_end(e);
}

int profile_compare(const profile_data *d, const profile_sums *s, const profile_data *o, const profile_sums *old, bool json)
{
  emit e = { 0 }, *to = json ? &e : NULL;
  if (json) {
    emit_object(&e, NULL);
    emit_string(&e, "schema", "heddle.profile-compare/1");
    emit_array(&e, "rows");
  } else {
    printf("%-28s %-12s %9s %9s %12s %12s %12s\n", "", "on", "calls", "now", "own ms", "now", "difference");
  }
  for (size_t k = 0; k < s->n; k++)
    compare_row(to, profile_text(d, s->row[k].key), profile_text(d, s->row[k].on), same_row(d, &s->row[k], o, old), &s->row[k]);
  for (size_t k = 0; k < old->n; k++)
    if (!same_row(o, &old->row[k], d, s))
      compare_row(to, profile_text(o, old->row[k].key), profile_text(o, old->row[k].on), &old->row[k], NULL);
  if (!json)
    return 0;
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}
