// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of `heddle profile` share: the events of files, sums of them, a picture.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_PROFILE_PROFILE_H
#define HEDDLE_TOOLS_PROFILE_PROFILE_H
#include "tools/tool.h"

typedef struct profile_event {
  double start, length, own;       /* microseconds; OWN without what is within */
  uint64_t bytes;
  int32_t track;                   /* index among the threads of all files */
  int32_t name, category, on, why; /* texts; 0: "" */
  int32_t context;                 /* text: of the context it is in */
  int32_t depth;                   /* slices round it */
  uint32_t calls, copies, fused;   /* that hed_stats counts */
  bool fallback, goes_on;          /* GOES_ON: a piece of a slice that was counted before */
} profile_event;

typedef struct profile_track {
  int32_t file, name;
  long long pid, tid;
} profile_track;

typedef struct profile_data {
  profile_event *event;
  size_t n, cap;
  profile_track *track;
  int32_t n_tracks, cap_tracks;
  char **text;                     /* 0 is "" */
  int32_t n_texts, cap_texts;
  int32_t *bucket;
  size_t buckets;
  uint64_t dropped;
  int files;
} profile_data;

/* The events of PATH to those that D has. 0, or an exit status after a sentence; a file that was cut off is read up to there,
 * which is said on stderr. */
int profile_read(profile_data *d, const char *path);
/* After all files: order, what is within what. */
int profile_settle(profile_data *d);
void profile_free(profile_data *d);
static inline const char *profile_text(const profile_data *d, int32_t k) { return d->text[k]; }

typedef struct profile_row {
  int32_t key, on;                 /* texts */
  double total, own, moving;       /* MOVING: the own time of operations with bytes */
  uint64_t calls, bytes;
  bool fallback;
  int32_t why;
} profile_row;

enum { PROFILE_BY_OP, PROFILE_BY_BACKEND, PROFILE_BY_THREAD, PROFILE_BY_CONTEXT, PROFILE_BY_RANGE };
enum { PROFILE_SORT_OWN, PROFILE_SORT_TOTAL, PROFILE_SORT_CALLS, PROFILE_SORT_MEAN, PROFILE_SORT_BYTES, PROFILE_SORT_NAME };
#define PROFILE_BY "op,backend,thread,context,range"
#define PROFILE_SORT "own,total,calls,mean,bytes,name"

typedef struct profile_sums {
  profile_row *row;
  size_t n;
  uint64_t calls, fallbacks, copies, passes;
} profile_sums;

/* Bandwidths of copies, by device, as they were asked for. */
enum { PROFILE_FLOORS = 32 };
typedef struct profile_floors {
  struct { char device[48]; double rate; } of[PROFILE_FLOORS];
  int n;
} profile_floors;
/* Bytes a second of DEVICE here, measured when it is first asked for; 0: it is not here. */
double profile_bandwidth(profile_floors *f, const char *device);

int profile_sum(const profile_data *d, int by, int sort, profile_sums *out);
/* FLOORS, NULL: without: what of each row's own time its bytes would take. */
int profile_print(const profile_data *d, const profile_sums *s, int by, bool json, profile_floors *floors);
int profile_compare(const profile_data *d, const profile_sums *s, const profile_data *old_d, const profile_sums *old, bool json);
int profile_picture(const profile_data *d, FILE *f);

#endif
