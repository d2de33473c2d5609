// SPDX-License-Identifier: BSD-3-Clause
/* Formats of particle tables as lists of columns, and the rows that are made of their words.
 *
 * Layer: L4, match kit, internal. Angles in tables of Heddle are phi, theta, psi with F = Rz(phi) Ry(theta) Rz(psi) the matrix
 * that takes the template to the particle; each format's columns say how its own relate to them.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_TABLE_FORMATS_H
#define HEDDLE_KITS_MATCH_FILES_TABLE_FORMATS_H
#include "kits/match/files/words.h"
#include <heddle/kits/table.h>

/* What a column says. NUMBER is that of the row's tomogram, INDEX the row's, from 0; the angles of a subtomogram are turned by
 * before the particle's, and its shifts are along its own axes. */
typedef enum hed__role {
  HED__TEXT, HED__ID, HED__Z, HED__Y, HED__X, HED__Z_ANGSTROM, HED__Y_ANGSTROM, HED__X_ANGSTROM, HED__PHI, HED__THETA, HED__PSI,
  HED__SCORE, HED__Z_SHIFT, HED__Y_SHIFT, HED__X_SHIFT, HED__Z_SHIFT_ANGSTROM, HED__Y_SHIFT_ANGSTROM, HED__X_SHIFT_ANGSTROM,
  HED__BOX_PHI, HED__BOX_THETA, HED__BOX_PSI, HED__VOXEL, HED__TOMOGRAM, HED__NUMBER, HED__INDEX, HED__RADIUS, HED__ROLES
} hed__role;

/* NEEDED, WRITTEN where it is not needed; AS_SAID is written where a row says it; ONCE_READ is not written, of several for one role
 * the first counts; KEPT is not written but stays among the columns that are kept; DEFAULT is the text, or the role's value, where
 * no column of this name was kept; IF_KEPT has none. */
typedef enum hed__use {
  HED__NEEDED, HED__WRITTEN, HED__AS_SAID, HED__ONCE_READ, HED__KEPT, HED__DEFAULT, HED__IF_KEPT
} hed__use;

/* The number in the file is SCALE times the value plus OFFSET; a SCALE of 0: 1. */
typedef struct hed__column { const char *name; hed__role role; hed__use use; double scale, offset; const char *text; } hed__column;

typedef enum hed__layout { HED__TABS, HED__STAR, HED__TBL, HED__POINTS, HED__COMMAS, HED__TAGS } hed__layout;
typedef enum hed__places { HED__VOXELS, HED__ANGSTROM, HED__CENTRED } hed__places;

typedef struct hed__format {
  const char *name, *block; /* that of a STAR file's loop */
  hed__layout layout;
  hed__places places;
  const char *pixel;        /* the column of data_optics that it is written in; NULL: there is none */
  bool as_is;               /* angles are not brought into their ranges */
  const hed__column *column;
} hed__format;

/* The format of a text's kind, told from its first lines; NULL: none. */
const hed__format *hed__table_sniff(const char *text, size_t n);
/* NULL: FORMAT is none of hed_table_format. */
const hed__format *hed__table_format(int format);
/* NULL: it has no column of that name. */
const hed__column *hed__column_named(const hed__format *f, const hed__word *name);
double hed__frame_voxel(const hed_table_frame *frame, int axis);

/* ---- reading ---- */

/* Texts of a table, in one block: what is added never moves. */
typedef struct hed__texts { char *s; size_t n, room; } hed__texts;

typedef struct hed__rows {
  hed__text *text;
  const hed__format *format;
  const hed_table_frame *frame;
  hed_table *t;
  hed__texts texts;
  int n;                                     /* columns of the file        */
  const hed__column *column[HED__MOST_WORDS]; /* NULL: kept, as what it is */
  bool kept[HED__MOST_WORDS], has[HED__ROLES];
  bool plain[HED__MOST_WORDS];               /* says nothing in any row: not kept. Filled before the others */
  double voxel;                              /* what the file says; 0: nothing */
  bool voxels_differ;                        /* from row to row          */
} hed__rows;

/* Names of the columns: which of them say what, which are kept, which are missed. */
hed_status hed__rows_begin(hed__rows *r, const hed__word *name, int n);
hed_status hed__rows_add(hed__rows *r, const hed__word *w, int n);
/* A text of N bytes behind the others; NULL: after a sentence. */
const char *hed__texts_add(hed__rows *r, const char *s, size_t n);

hed_status hed__table_read_layout(hed__rows *r);

/* ---- writing ---- */

hed_status hed__table_write_layout(hed_file *f, const hed_table *t, const hed__format *to, const hed_table_frame *frame,
                                   const char *comment, const int64_t *numbers);
/* Words between tabs in S (NULL: none), counted; the first ROOM of them. */
int hed__split_tabs(const char *s, hed__word *w, int room);
/* Whether FORMAT writes the kept column NAME. */
bool hed__writes_kept(const hed__format *f, const hed__word *name);
double hed__written(const hed__column *c, const hed__format *f, const hed_table_row *r, const hed_table_frame *frame);

#endif
