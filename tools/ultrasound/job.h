// SPDX-License-Identifier: BSD-3-Clause
/* What the files of `heddle ultrasound` share.
 *
 * Layer: L5. Arrays of a job belong to the scope in which it runs.
 */
#ifndef HEDDLE_TOOLS_ULTRASOUND_JOB_H
#define HEDDLE_TOOLS_ULTRASOUND_JOB_H
#include "tools/tool.h"
#include <heddle/kits/ultrasound.h>

enum { US_REGIONS = 16, US_ROWS = 256 };

typedef struct us_row {
  char metric[48], region[72];
  double value;
  const char *unit; /* "": none */
} us_row;

typedef struct us_region {
  char name[32];
  const char *text;  /* circle:.., ring:.., rect:.. or a file */
  hed_array *mask;   /* of the image's shape                */
} us_region;

typedef struct us_job {
  /* asked for */
  const char *file, *object, *prefix, *bmode, *metrics;
  int pictures; /* as outputs has it */
  bool channels_given, frames_given, spacing_given, envelope, convert, sector_given, json, force;
  long long channels, frames, frame, bins, m0;
  double spacing[2], origin[2], dynamic_range, sector[4]; /* rho in metres, theta in degrees */
  int n_regions;
  us_region region[US_REGIONS];
  /* read */
  hed_us_data data;
  hed_array *before;   /* one frame with its channels; NULL: there are none        */
  int32_t channel_axis;
  hed_array *series;   /* all frames, channels summed; NULL: there is one            */
  int32_t frame_axis;
  hed_array *rf;       /* one frame as it came: a line, or (z, x)                   */
  hed_array *image;    /* its envelope, not of a line                             */
  hed_us_grid grid;
  const char *unit;    /* of the grid                                           */
  /* made */
  int n_rows;
  us_row row[US_ROWS];
  hed_array *map;      /* of coherence, NULL: none                              */
} us_job;

/* input.c: reads the file, and makes of it what the metrics look at, the regions too. 0 or an exit status. */
int us_job_read(us_job *j);

/* metrics.c: which names there are, one after the other, NULL behind the last; all that were asked for, in rows. */
const char *us_metric_name(int i);
int us_job_measure(us_job *j);

/* pictures.c: which files PREFIX stands for, and the picture of --bmode; then all of them. */
int us_job_announce(const us_job *j, outputs *o);
hed_status us_job_write(us_job *j, const outputs *o);

#endif
