// SPDX-License-Identifier: BSD-3-Clause
/* A profile's file against its format: an event a line, each with what its phase asks for; times rise per thread, slices are
 * within each other or apart, flows have both ends. Nothing of the library's. */
#ifndef HED_TESTS_PROFILE_CHECK_H
#define HED_TESTS_PROFILE_CHECK_H

#include "tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checked {
  char *text;              /* all of it */
  int events, slices, flows, threads, counters;
  long long calls, fallbacks, copies, passes, dropped;
  char wrong[300];         /* the first that is; "" */
} checked;

static inline char *whole_file(const char *path)
{
  FILE *f = fopen(path, "r");
  char *text = f ? calloc(1, 256 << 20) : NULL;
  if (text && fread(text, 1, (256 << 20) - 1, f) == 0)
    text[0] = 0;
  if (f)
    fclose(f);
  return text;
}

/* The number behind "KEY": in LINE; OTHERWISE: it is not there. */
static inline double number_in(const char *line, const char *key, double otherwise)
{
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const size_t n = strlen(quoted), whole = strcspn(line, "\n");
  const char *p = memmem(line, whole, quoted, n);
  return p ? strtod(p + n, NULL) : otherwise;
}

static inline bool is_in(const char *line, const char *part)
{
  return memmem(line, strcspn(line, "\n"), part, strlen(part)) != NULL;
}

static inline void is_wrong(checked *c, const char *what, const char *line)
{
  if (!c->wrong[0])
    snprintf(c->wrong, sizeof c->wrong, "%s: %.200s", what, line);
}

/* Braces, brackets and quotes of a line are even, but for those of the document round the events. */
static inline int is_balanced(const char *line)
{
  int depth = 0, quoted = 0;
  for (const char *p = line; *p && *p != '\n'; p++)
    if (quoted)
      quoted = *p == '\\' && p[1] ? (p++, 1) : *p != '"';
    else if (*p == '"')
      quoted = 1;
    else
      depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
  return depth == 0 && !quoted;
}

enum { CHECK_THREADS = 256, CHECK_DEPTH = 600, CHECK_FLOWS = 200000 };
typedef struct check_state {
  double last[CHECK_THREADS], end[CHECK_THREADS][CHECK_DEPTH];
  int depth[CHECK_THREADS];
  double from[CHECK_FLOWS];
  unsigned char ends[CHECK_FLOWS];
} check_state;

static inline void check_slice(checked *c, check_state *s, const char *line, int tid, double ts)
{
  const double dur = number_in(line, "dur", -1), slack = 0.0021; /* of nanoseconds that are written with three digits */
  int *depth = &s->depth[tid];
  if (dur < 0)
    is_wrong(c, "a slice without a length", line);
  while (*depth && s->end[tid][*depth - 1] <= ts + slack)
    --*depth;
  if (*depth && ts + dur > s->end[tid][*depth - 1] + slack)
    is_wrong(c, "a slice that ends beyond the one it is in", line);
  if (*depth < CHECK_DEPTH)
    s->end[tid][(*depth)++] = ts + dur;
  c->slices++;
  c->calls += is_in(line, "\"cat\":\"op\"") ? (long long)number_in(line, "calls", 1) : 0;
  c->copies += (long long)number_in(line, "copies", 0);
  c->fallbacks += is_in(line, "\"how\":\"fallback\"");
  c->passes += is_in(line, "\"fused\":");
}

static inline void check_flow(checked *c, check_state *s, const char *line, char phase, double ts)
{
  const int id = (int)number_in(line, "id", -1);
  if (id < 1 || id >= CHECK_FLOWS) {
    is_wrong(c, "a flow without a number", line);
    return;
  }
  if (s->ends[id] & (phase == 's' ? 1 : 2))
    is_wrong(c, "a flow with two such ends", line);
  s->ends[id] |= phase == 's' ? 1 : 2;
  if (phase == 's')
    s->from[id] = ts;
  else if (s->from[id] > ts + 0.001)
    is_wrong(c, "a flow that ends before it begins", line);
  c->flows++;
}

static inline void check_event(checked *c, check_state *s, const char *line)
{
  const char phase = line[6] == '"' ? line[7] : 0;
  const double ts = number_in(line, "ts", -1);
  const int tid = (int)number_in(line, "tid", -1);
  c->events++;
  if (strncmp(line, "{\"ph\":\"", 7) != 0 || !strchr("MXisfC", phase) || !is_balanced(line) || !is_in(line, "\"name\":\"") ||
      number_in(line, "pid", -1) < 1 || tid < 0 || tid >= CHECK_THREADS) {
    is_wrong(c, "no event of the format", line);
    return;
  }
  if (phase == 'M') {
    c->threads += is_in(line, "\"thread_name\"");
    return;
  }
  if (ts < 0)
    is_wrong(c, "no time", line);
  if (phase == 's' || phase == 'f') {
    check_flow(c, s, line, phase, ts);
    return;
  }
  if (ts + 0.001 < s->last[tid])
    is_wrong(c, "times of a thread do not rise", line);
  s->last[tid] = ts;
  c->counters += phase == 'C';
  if (phase == 'X')
    check_slice(c, s, line, tid, ts);
}

/* The text is the caller's to free. */
static inline checked check_profile(const char *path)
{
  checked c = { .text = whole_file(path) };
  check_state *s = calloc(1, sizeof *s);
  if (!c.text || !s) {
    snprintf(c.wrong, sizeof c.wrong, "%s cannot be read", path);
    free(s);
    return c;
  }
  char *p = c.text;
  static const char head[] = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"heddle.profile/1\",";
  if (strncmp(p, head, sizeof head - 1) != 0)
    is_wrong(&c, "no head", p);
  c.dropped = (long long)number_in(p, "dropped", -1);
  p = strstr(p, "\n\"traceEvents\":[\n");
  p = p ? p + 17 : NULL;
  while (p && *p == '{') {
    check_event(&c, s, p);
    p = strchr(p, '\n');
    p = p ? p + 1 : NULL;
  }
  if (!p || strcmp(p, "]}\n") != 0)
    is_wrong(&c, "no end", p ? p : "");
  for (int k = 0; k < CHECK_FLOWS; k++)
    if (s->ends[k] == 1 || s->ends[k] == 2)
      is_wrong(&c, "a flow with one end", "");
  free(s);
  return c;
}

#endif
