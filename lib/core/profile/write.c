// SPDX-License-Identifier: BSD-3-Clause
/* A trace in the trace event format, an event a line. L2. See write.h.
 *
 * Times are microseconds since base_ns of CLOCK_MONOTONIC, by which files of processes of one machine fit each other. Of a flow both
 * ends are written, or none. */
#include "core/profile/write.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "core/profile/events.h"
#include <errno.h>
#include <heddle/ops.h>
#include <heddle/version.h>
#include <inttypes.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

typedef struct writer {
  hed__trace t;
  hed__sink s;
  uint32_t thread;
  uint64_t flows;
} writer;

static const char *device_name(const writer *w, uint16_t number)
{
  const char *name = number && number < HED__RAW_DEVICES ? w->t.head->device[number] : "";
  return memchr(name, 0, HED__RAW_NAME) && *name ? name : "host";
}

/* Since the profile began: short numbers make short files. What a tool that listens was told of before began with it. */
static double us(const writer *w, uint64_t ticks) { return fmax((hed__trace_ns(&w->t, ticks) - (double)w->t.ns) / 1e3, 0); }

/* {"ph":..,"pid":..,"tid":..,"ts":.., and DUR for an X. */
static void begin(writer *w, char phase, uint64_t t0, uint64_t t1)
{
  hed__sink_put(&w->s, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%.3f", phase, w->t.head->pid, w->thread, us(w, t0));
  if (phase == 'X')
    hed__sink_put(&w->s, ",\"dur\":%.3f", us(w, t1) - us(w, t0));
}

/* ---- flows ---- */

static void flow(writer *w, uint64_t id, const char *name, uint64_t at)
{
  const hed__trace_flow *f = hed__trace_flow_of(&w->t, id);
  const uint32_t here = w->thread;
  if (!f || f->record->t0 > at)
    return;
  const uint64_t from = f->record->kind == HED__RAW_CREATE ? f->record->t0 : f->record->t1 < at ? f->record->t1 : f->record->t0;
  w->flows++;
  w->thread = f->thread;
  begin(w, 's', from, from);
  hed__sink_put(&w->s, ",\"cat\":\"flow\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name, w->flows);
  w->thread = here;
  begin(w, 'f', at, at);
  hed__sink_put(&w->s, ",\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name, w->flows);
}

static const char *begun_by(const hed__trace_flow *f)
{
  return f->record->kind == HED__RAW_COPY ? "copy" : hed_op_name(f->record->op);
}

/* ---- operations ---- */

/* "float32[3,4] [1,4] > [3,4]": a dtype is said where it is another than before, as files are long enough. */
static void operands(writer *w, const hed__raw *r)
{
  const char *p = (const char *)(r + 1);
  int dtype = -1;
  if (r->n_in + r->n_out == 0)
    return;
  hed__sink_put(&w->s, "\"of\":\"");
  for (int k = 0; k < r->n_in + r->n_out; k++) {
    hed__raw_operand o;
    memcpy(&o, p, sizeof o);
    p += sizeof o;
    hed__sink_put(&w->s, "%s%s%s[", k ? " " : "", k == r->n_in ? "> " : "",
                  o.dtype == dtype ? "" : o.dtype < HED_ID_CONCRETE_COUNT_ ? hed__dtypes[o.dtype]->name : "?");
    dtype = o.dtype;
    for (int i = 0; i < o.axes; i++, p += sizeof(int64_t)) {
      int64_t extent;
      memcpy(&extent, p, sizeof extent);
      hed__sink_put(&w->s, "%s%" PRId64, i ? "," : "", extent);
    }
    hed__sink_put(&w->s, "%s]", o.axes < o.ndim ? ",..." : "");
  }
  hed__sink_put(&w->s, "\",");
}

static void operation(writer *w, const hed__slice *x)
{
  static const char *const how[] = { "", "fallback", "fallback", "fused", "none" };
  const hed__raw *r = x->record;
  begin(w, 'X', x->t0, x->t1);
  hed__sink_put(&w->s, ",\"cat\":\"op\",\"name\":\"%s\",\"args\":{", hed_op_name(r->op));
  operands(w, r);
  hed__sink_put(&w->s, "\"bytes\":%" PRIu64 ",\"on\":\"%s\"", r->bytes, device_name(w, r->device));
  if (r->how != HED__RAW_NATIVE) /* what is usual is not said: files are long enough */
    hed__sink_put(&w->s, ",\"how\":\"%s\"", how[r->how <= HED__RAW_FAILED ? r->how : HED__RAW_FAILED]);
  if (r->counted != 1)
    hed__sink_put(&w->s, ",\"calls\":%" PRIu32, r->counted);
  if (r->how == HED__RAW_LACKS)
    hed__sink_put(&w->s, ",\"for\":\"%s\",\"why\":\"%s has no kernel of its own for %s\"", device_name(w, r->of),
                  device_name(w, r->of), r->compute < HED_ID_CONCRETE_COUNT_ ? hed__dtypes[r->compute]->name : "this");
  if (r->how == HED__RAW_LEFT)
    hed__sink_put(&w->s, ",\"for\":\"%s\",\"why\":\"the kernel of %s leaves this call to others\"", device_name(w, r->of),
                  device_name(w, r->of));
  if (r->how == HED__RAW_FUSED)
    hed__sink_put(&w->s, ",\"fused\":%d", r->fused);
  const hed__trace_flow *f = hed__trace_flow_of(&w->t, r->in);
  if (f)
    hed__sink_put(&w->s, ",\"after\":\"%s\",\"thread\":%" PRIu32, begun_by(f), f->thread);
  if (r->copies)
    hed__sink_put(&w->s, ",\"copies\":%" PRIu32, r->copies);
  if (r->status)
    hed__sink_put(&w->s, ",\"status\":\"%s\"", hed_status_text(r->status));
  hed__sink_put(&w->s, "}}");
}

static void call(writer *w, const hed__slice *x)
{
  begin(w, 'X', x->t0, x->t1);
  hed__sink_put(&w->s, ",\"cat\":\"call\",\"name\":\"%s\",\"args\":{\"how\":\"composed\"}}", hed_op_name(x->record->op));
}

/* ---- others ---- */

static void copy(writer *w, const hed__slice *x)
{
  const hed__raw *r = x->record;
  begin(w, 'X', x->t0, x->t1);
  hed__sink_put(&w->s, ",\"cat\":\"copy\",\"name\":\"copy %s to %s\",\"args\":{\"bytes\":%" PRIu64, device_name(w, r->of),
                device_name(w, r->device), r->bytes);
  if (r->status)
    hed__sink_put(&w->s, ",\"status\":\"%s\"", hed_status_text(r->status));
  hed__sink_put(&w->s, "}}");
}

static void wait(writer *w, const hed__slice *x)
{
  const hed__raw *r = x->record;
  const hed__trace_flow *f = hed__trace_flow_of(&w->t, r->in);
  begin(w, 'X', x->t0, x->t1);
  hed__sink_put(&w->s, ",\"cat\":\"wait\",\"name\":\"wait for %s\",\"args\":{", device_name(w, r->device));
  if (f)
    hed__sink_put(&w->s, "\"what\":\"%s\",\"thread\":%" PRIu32, begun_by(f), f->thread);
  if (r->status)
    hed__sink_put(&w->s, "%s\"status\":\"%s\"", f ? "," : "", hed_status_text(r->status));
  hed__sink_put(&w->s, "}}");
}

static void named(writer *w, const hed__slice *x, const char *category)
{
  static const char *const from[] = { "pushed", "adopted", "root", "inherited", "set" };
  const hed__raw *r = x->record;
  begin(w, 'X', x->t0, x->t1);
  hed__sink_put(&w->s, ",\"cat\":\"%s\",\"name\":\"", category);
  hed__sink_quote(&w->s, (const char *)(r + 1));
  hed__sink_put(&w->s, "\",\"args\":{");
  if (r->kind == HED__RAW_PUSH) {
    hed__sink_put(&w->s, "\"from\":\"%s\"", from[r->how <= HED__RAW_SET ? r->how : 0]);
    const hed__trace_flow *f = hed__trace_flow_of(&w->t, r->in);
    if (f)
      hed__sink_put(&w->s, ",\"thread\":%" PRIu32, f->thread);
  }
  if (r->kind == HED__RAW_TRACK)
    hed__sink_put(&w->s, "\"on\":\"%s stream %" PRIu64 "\"", device_name(w, r->device), r->in);
  if (x->part)
    hed__sink_put(&w->s, "%s\"part\":%" PRIu32, r->kind == HED__RAW_PUSH || r->kind == HED__RAW_TRACK ? "," : "", x->part + 1);
  hed__sink_put(&w->s, "}}");
}

static void moment(writer *w, const hed__raw *r)
{
  begin(w, 'i', r->t0, r->t0);
  hed__sink_put(&w->s, ",\"s\":\"t\",");
  if (r->kind == HED__RAW_MARK) {
    hed__sink_put(&w->s, "\"cat\":\"mark\",\"name\":\"");
    hed__sink_quote(&w->s, (const char *)(r + 1));
    hed__sink_put(&w->s, "\"}");
  } else {
    hed__sink_put(&w->s, "\"cat\":\"random\",\"name\":\"draw\",\"args\":{\"stream\":\"%016" PRIx64 "\",\"draw\":%" PRIu64 "}}", r->in,
                  r->bytes);
  }
}

static void memory(writer *w, const hed__raw *r)
{
  begin(w, 'C', r->t0, r->t0);
  hed__sink_put(&w->s, ",\"name\":\"memory of %s\",\"args\":{\"bytes\":%" PRId64 "}}", device_name(w, r->device), (int64_t)r->bytes);
}

static void event(writer *w, const hed__slice *x)
{
  const hed__raw *r = x->record;
  switch (r->kind) {
  case HED__RAW_OP: operation(w, x); break;
  case HED__RAW_CALL: call(w, x); break;
  case HED__RAW_COPY: copy(w, x); break;
  case HED__RAW_WAIT: wait(w, x); break;
  case HED__RAW_PUSH: named(w, x, "context"); break;
  case HED__RAW_BEGIN: named(w, x, "range"); break;
  case HED__RAW_STAGE: named(w, x, "stage"); break;
  case HED__RAW_TRACK: named(w, x, "device"); break;
  case HED__RAW_MARK: case HED__RAW_DRAW: moment(w, r); break;
  case HED__RAW_MEMORY: memory(w, r); break;
  case HED__RAW_CREATE:
    begin(w, 'X', x->t0, x->t1);
    hed__sink_put(&w->s, ",\"cat\":\"thread\",\"name\":\"%s\"}", r->how ? "capture" : "create a thread");
    break;
  default: break;
  }
  if (x->part || !r->in)
    return;
  if (r->kind == HED__RAW_PUSH)
    flow(w, r->in, r->how == HED__RAW_ADOPTED ? "adopts" : "inherits", x->t0);
  else if (r->kind == HED__RAW_WAIT || r->kind == HED__RAW_COPY || r->kind == HED__RAW_OP)
    flow(w, r->in, "result", x->t1);
}

/* ---- all of it ---- */

/* THREAD has the name that follows, up to a quote and two braces. */
static void begin_name(writer *w, uint32_t thread)
{
  hed__sink_put(&w->s, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32 ",\"name\":\"thread_name\",\"args\":{\"name\":\"",
                w->t.head->pid, thread);
}

static void name_thread(writer *w, const hed__raw_chunk *c)
{
  begin_name(w, c->thread);
  hed__sink_quote(&w->s, c->name);
  hed__sink_put(&w->s, " (%" PRIu64 ")\"}}", c->tid);
}

static hed_status write_thread(writer *w, size_t first, size_t end)
{
  hed__slices slices;
  hed__slice x;
  int depth = 0;
  uint64_t *open = hed__malloc(HED__SLICE_DEPTH * sizeof *open);
  if (!open || !hed__slices_of(&w->t, first, end, &slices)) {
    hed__free(open);
    return hed_fail(HED_E_NOMEM, "profile: no memory to put the records of a thread in order");
  }
  w->thread = w->t.chunk[first]->thread;
  name_thread(w, w->t.chunk[end - 1]);
  while (hed__slices_next(&slices, open, &depth, &x))
    event(w, &x);
  hed__free(slices.at);
  hed__free(open);
  return HED_OK;
}

/* ---- devices ---- */

typedef struct track { uint16_t device; uint64_t stream; } track;
enum { MOST_TRACKS = 1024 };

/* The streams that somebody tells of; how many. */
static int list_tracks(const writer *w, track *out)
{
  int n = 0;
  for (size_t k = 0; k < w->t.n_chunks; k++)
    for (const hed__raw *r = NULL; (r = hed__trace_next(w->t.chunk[k], r)) != NULL;) {
      int i = 0;
      if (r->kind != HED__RAW_TRACK)
        continue;
      while (i < n && (out[i].device != r->device || out[i].stream != r->in))
        i++;
      if (i == n && n < MOST_TRACKS)
        out[n++] = (track){ r->device, r->in };
    }
  return n;
}

static hed_status write_track(writer *w, const track *k)
{
  hed__slices slices;
  hed__slice x;
  int depth = 0;
  uint64_t *open = hed__malloc(HED__SLICE_DEPTH * sizeof *open);
  if (!open || !hed__slices_of_track(&w->t, k->device, k->stream, &slices)) {
    hed__free(open);
    return hed_fail(HED_E_NOMEM, "profile: no memory to put what a device did in order");
  }
  begin_name(w, w->thread);
  hed__sink_put(&w->s, "%s, stream %" PRIu64 "\"}}", device_name(w, k->device), k->stream);
  while (hed__slices_next(&slices, open, &depth, &x))
    event(w, &x);
  hed__free(slices.at);
  hed__free(open);
  return HED_OK;
}

/* Tracks behind those of threads. */
static hed_status write_tracks(writer *w)
{
  hed_status s = HED_OK;
  track *list = hed__malloc(MOST_TRACKS * sizeof *list);
  const uint32_t threads = w->t.n_chunks ? w->t.chunk[w->t.n_chunks - 1]->thread : 0;
  const int n = list ? list_tracks(w, list) : 0;
  for (int k = 0; k < n && s == HED_OK; k++) {
    w->thread = threads + 1 + (uint32_t)k;
    s = write_track(w, &list[k]);
  }
  hed__free(list);
  return list ? s : hed_fail(HED_E_NOMEM, "profile: no memory for the tracks of devices");
}

static void write_head(writer *w)
{
  const hed__raw_head *h = w->t.head;
  uint64_t dropped = 0;
  for (size_t k = 0; k < w->t.n_chunks; k++) /* the last chunk of a thread has the sum so far */
    if (k + 1 == w->t.n_chunks || w->t.chunk[k + 1]->thread != w->t.chunk[k]->thread)
      dropped += w->t.chunk[k]->dropped;
  hed__sink_put(&w->s, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"heddle.profile/1\",\"version\":\"%s\",\"pid\":%d,"
                       "\"wall_ns\":%" PRIu64 ",\"base_ns\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"complete\":%s},\n"
                       "\"traceEvents\":[\n", HED_VERSION, h->pid, h->wall, w->t.ns, dropped, w->t.torn ? "false" : "true");
  hed__sink_put(&w->s, "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"", h->pid);
  char program[sizeof h->program + 1];
  memcpy(program, h->program, sizeof h->program);
  program[sizeof h->program] = 0;
  hed__sink_quote(&w->s, program);
  hed__sink_put(&w->s, " (%d)\"}}", h->pid);
}

static hed_status write_all(writer *w)
{
  hed_status s = HED_OK;
  write_head(w);
  for (size_t first = 0, end; first < w->t.n_chunks && s == HED_OK; first = end) {
    for (end = first + 1; end < w->t.n_chunks && w->t.chunk[end]->thread == w->t.chunk[first]->thread; end++)
      ;
    s = write_thread(w, first, end);
  }
  if (s == HED_OK)
    s = write_tracks(w);
  hed__sink_put(&w->s, "\n]}\n");
  return s;
}

hed_status hed__write_trace(const char *raw, const char *path)
{
  writer *w = hed__calloc(1, sizeof *w);
  if (!w)
    return hed_fail(HED_E_NOMEM, "profile: no memory to write %.300s", path);
  hed_status s = hed__trace_open(&w->t, raw);
  if (s == HED_OK) {
    errno = 0;
    if (!hed__sink_open(&w->s, path)) {
      s = hed_fail(HED_E_IO, "profile: %.300s cannot be written: %s", path, strerror(errno));
    } else {
      s = write_all(w);
      if (!hed__sink_close(&w->s) && s == HED_OK)
        s = hed_fail(HED_E_IO, "profile: %.300s cannot be written: %s", path, strerror(errno));
    }
    hed__trace_close(&w->t);
  }
  hed__free(w);
  return s;
}
