// SPDX-License-Identifier: BSD-3-Clause
/* The files that a search left, for the commands that go on from them.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_SEARCH_H
#define HEDDLE_TOOLS_MATCH_SEARCH_H
#include "tools/tool.h"

/* All zero is an empty one. */
typedef struct search {
  hed_map scores;
  hed_array *rotations;
  double *matrices;       /* those that the indices count */
  size_t n_matrices;
  bool summary;           /* PREFIX.json was there: what follows is known */
  double centre, sigma, kurtosis, n_scores; /* of the background */
} search;

/* Reads PREFIX_scores.mrc, PREFIX_rotations.mrc and .npy, and PREFIX.json where there is one. */
hed_status search_read(const char *prefix, search *s);
void search_clear(search *s);
/* outputs_input() of these files. */
int search_outputs(const char *prefix, const outputs *o);

/* What PREFIX.json of a search in a list says; false: there is none that says all of it. */
typedef struct search_account {
  char settings[4096];
  double cutoff, sigma, rotations, seconds, voxel[3], origin[3], extent[3];
} search_account;
bool search_account_read(const char *prefix, search_account *a);

/* What the names of a search's files end in: scores, indices, list of rotations, summary. */
extern const char search_scores[], search_indices[], search_list[], search_summary[];
/* Indices up to 2^24 are exact as float32, which every program reads; larger ones fit into no map. */
hed_status search_write_indices(const char *path, const hed_array *rotations, size_t n_rotations, const hed_map *like);

/* Where tables that are made from TARGET lie; its voxel size and extents, and a tomogram's name (NULL: that of PATH). */
hed_table_frame tool_frame(const hed_map *target, const char *path, const char *name, char room[64]);

/* Reads a table. FRAME says where the tomogram lies; of a table of several tomograms the rows of WANTED are taken, NULL: all of them.
 * NAMED: the user gave that name, which a table of one tomogram then goes by. MEASURED: the frame's voxels are a tomogram's, and the
 * table's must not differ. Missing columns are said. */
typedef struct table_wanted { const char *tomogram; bool named, measured, turned; } table_wanted;
/* HED_OK, or an error that names both files: the mask M at PATH has not the shape of WHOSE. No data: HED_OK. */
hed_status tool_mask_fits(const hed_map *m, const char *path, const hed_map *whose, const char *whose_path);
hed_status tool_read_table(const char *path, int format, const hed_table_frame *frame, const table_wanted *wanted, hed_table *out);
/* Says what a table at PATH has no place for. */
void tool_say_omitted(const hed_table *t, int format, const char *path);

#endif
