// SPDX-License-Identifier: BSD-3-Clause
/* Filters of target and template on a command line, for searches and what refines their tables.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_FILTERS_H
#define HEDDLE_TOOLS_MATCH_FILTERS_H
#include "tools/tool.h"
#include <heddle/kits/filter.h>

typedef enum whiten_when { WHITEN_AUTO, WHITEN_ON, WHITEN_OFF } whiten_when;

/* What was asked for, and what is made of it. */
typedef struct filters {
  const char *tilts_path, *ctf_path;
  double low_pass, high_pass, tilt_low, tilt_high, defocus, kilovolt, cs_mm, amplitude;
  hed_tilts tilts;
  int weighting, ctf;   /* hed_weighting and hed_ctf              */
  int faces, voids;     /* hed_faces and hed_voids                */
  whiten_when whiten;
  bool tilts_given, invert_tilts;
  int handedness;       /* where the tilts' files do not say it; 0: not known */
  int hand;             /* whatever they say; 0: it was not given */

  hed_array *profile;   /* that flattens the target's spectrum    */
  double colour;        /* of that spectrum; 0: not looked at     */
  bool whitened, filters_target, filters_template;
  hed_match_filter target_filter, template_filter;
} filters;

#define FILTERS_DEFAULT { .weighting = HED_WEIGHTING_COSINE, .ctf = HED_CTF_FLIP }

/* Options, a child of a command's; its input is a `filters'. */
extern const struct argp filters_argp;
const char *filters_faces(const filters *f);

/* The files that options name; then the filters, for a target (of file PATH), a template and its mask, whose data may be NULL. FLC:
 * the score is one of those that are whitened without being asked. */
hed_status filters_read(filters *f);
/* --tilts as a list of tomograms has it, instead of what options said. */
hed_status filters_take_tilts(filters *f, const char *text);
hed_status filters_make(filters *f, const hed_map *target, const char *path, const hed_map *tmpl, const hed_map *mask, bool flc);
/* The error of OPTION, which needs single tilts with a defocus, by what of them is missing. */
hed_status filters_no_defocus(const char *option, const filters *f);
void filters_clear(filters *f);

#endif
