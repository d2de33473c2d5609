// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_star.c: STAR files of particles: RELION 3.1 and 4, RELION 5, STOPGAP. Which one is read says its columns.
 *
 * Layer: L4, match kit. RELION's angles describe the transpose, Rz(rot) Ry(tilt) Rz(psi') = F^T, so rot = 180 - psi, tilt = theta,
 * psi' = 180 - phi. STOPGAP's F is Rz(psi') Rx(the) Rz(phi'), so psi' = phi + 90, the = theta, phi' = psi - 90.
 */
#include "kits/match/files/table_as.h"

static const char *tomogram_of(const hed_table_frame *frame)
{
  return frame && frame->tomogram ? frame->tomogram : "tomogram";
}

static void write_names(hed_file *f, const char *block, const char *const *names)
{
  hed_file_print(f, "\ndata_%s\n\nloop_\n", block);
  for (int i = 0; names[i]; i++)
    hed_file_print(f, "_%s #%d\n", names[i], i + 1);
}

/* Angles of RELION, score and group behind the places. */
static void write_rest(hed_file *f, const hed_table_row *r)
{
  hed_file_print(f, "\t%.9g\t%.9g\t%.9g\t%.9g\t1\n", hed__wrapped(180 - r->euler[2]), r->euler[1], hed__wrapped(180 - r->euler[0]),
                 r->score);
}

static void write_relion(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  static const char *const optics[] = { "rlnOpticsGroup", "rlnOpticsGroupName", "rlnImagePixelSize", NULL };
  static const char *const names[] = { "rlnTomoName", "rlnCoordinateX", "rlnCoordinateY", "rlnCoordinateZ", "rlnAngleRot",
                                       "rlnAngleTilt", "rlnAnglePsi", "rlnLCCmax", "rlnOpticsGroup", NULL };
  write_names(f, "optics", optics);
  hed_file_print(f, "1\topticsGroup1\t%.9g\n\n", hed__frame_voxel(frame, 2));
  write_names(f, "particles", names);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    hed_file_print(f, "%s\t%.9g\t%.9g\t%.9g", tomogram_of(frame), r->position[2], r->position[1], r->position[0]);
    write_rest(f, r);
  }
  hed_file_print(f, "\n");
}

static void write_relion5(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  static const char *const optics[] = { "rlnOpticsGroup", "rlnOpticsGroupName", "rlnTomoTiltSeriesPixelSize", NULL };
  static const char *const names[] = { "rlnTomoName", "rlnCenteredCoordinateXAngst", "rlnCenteredCoordinateYAngst",
                                       "rlnCenteredCoordinateZAngst", "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi", "rlnLCCmax",
                                       "rlnOpticsGroup", NULL };
  write_names(f, "optics", optics);
  hed_file_print(f, "1\topticsGroup1\t%.9g\n\n", hed__frame_voxel(frame, 2) / (frame->binning > 0 ? frame->binning : 1));
  write_names(f, "particles", names);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    hed_file_print(f, "%s", tomogram_of(frame));
    for (int a = 2; a >= 0; a--)
      hed_file_print(f, "\t%.9g", hed__centred(frame, a, r->position[a]));
    write_rest(f, r);
  }
  hed_file_print(f, "\n");
}

static void write_stopgap(hed_file *f, const hed_table *t, const hed_table_frame *frame)
{
  static const char *const names[] = { "motl_idx", "tomo_num", "object", "subtomo_num", "halfset", "orig_x", "orig_y", "orig_z",
                                       "score", "x_shift", "y_shift", "z_shift", "phi", "psi", "the", "class", NULL };
  (void)frame;
  hed_file_print(f, "\ndata_stopgap_motivelist\n\nloop_\n");
  for (int i = 0; names[i]; i++)
    hed_file_print(f, "_%s\n", names[i]);
  for (size_t i = 0; i < t->n; i++) {
    const hed_table_row *r = &t->row[i];
    hed_file_print(f, "%zu\t1\t1\t%zu\tA\t%.9g\t%.9g\t%.9g\t%.9g\t0\t0\t0\t%.9g\t%.9g\t%.9g\t1\n", i + 1, i + 1, r->position[2] + 1,
                   r->position[1] + 1, r->position[0] + 1, r->score, hed__wrapped(r->euler[2] - 90), hed__wrapped(r->euler[0] + 90),
                   r->euler[1]);
  }
  hed_file_print(f, "\n");
}

/* Columns of a kind: places, what is added to them, angles, score. */
typedef struct columns { const char *place[3], *shift[3], *angle[3], *score; } columns;

static const columns relion = { { "rlnCoordinateX", "rlnCoordinateY", "rlnCoordinateZ" }, { "", "", "" },
                                { "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi" }, "rlnLCCmax" };
static const columns relion5 = { { "rlnCenteredCoordinateXAngst", "rlnCenteredCoordinateYAngst", "rlnCenteredCoordinateZAngst" },
                                 { "", "", "" }, { "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi" }, "rlnLCCmax" };
static const columns stopgap = { { "orig_x", "orig_y", "orig_z" }, { "x_shift", "y_shift", "z_shift" }, { "phi", "the", "psi" },
                                 "score" };

static const hed__star_loop *loop_of(const hed__star *s, const columns *c)
{
  const hed__star_loop *l = NULL;
  for (int i = 0; i < 3 && !l; i++)
    l = hed__star_find(s, c->place[i]);
  return l;
}

static hed_status read_rows(const hed__star *s, const hed__star_loop *l, const columns *c, const hed_table_frame *frame, hed_table *t)
{
  const hed__text *text = s->text;
  for (int i = 0; i < 3; i++)
    if (hed__star_column(l, c->place[i]) < 0)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: the loop has no %s", text->op, text->path, l->line, c->place[i]);
  for (int a = 0; a < 3 && c == &relion5; a++)
    if (!frame || (frame->extent[a] < 1 && frame->unbinned[a] < 1))
      return hed_fail(HED_E_INVAL, "%s: '%s' counts from the tomogram's middle, and its extents are not given", text->op, text->path);
  for (size_t k = 0; k < l->rows; k++) {
    double xyz[3], shift, v[3], score;
    hed_status status = hed__star_value(s, l, k, c->score, 0, &score);
    for (int i = 0; i < 3 && status == HED_OK; i++)
      if ((status = hed__star_value(s, l, k, c->place[i], 0, &xyz[i])) == HED_OK &&
          (status = hed__star_value(s, l, k, c->shift[i], 0, &shift)) == HED_OK &&
          (status = hed__star_value(s, l, k, c->angle[i], 0, &v[i])) == HED_OK)
        xyz[i] = c == &relion5 ? hed__from_centred(frame, 2 - i, xyz[i]) : xyz[i] + shift - (c == &stopgap);
    const double theirs[3] = { 180 - v[2], v[1], 180 - v[0] }, motl[3] = { v[2] - 90, v[1], v[0] + 90 };
    if (status != HED_OK || (status = hed__table_add(text, frame, t, xyz, c == &stopgap ? motl : theirs, score)) != HED_OK)
      return status;
  }
  return HED_OK;
}

static hed_status read_star(hed__text *text, const hed_table_frame *frame, hed_table *t)
{
  static const columns *const kinds[] = { &relion, &relion5, &stopgap };
  const hed__star_loop *l = NULL;
  hed__star s;
  hed_status status = hed__star_read(text, &s);
  if (status != HED_OK)
    return status;
  for (int i = 0; i < 3 && !l; i++)
    if ((l = loop_of(&s, kinds[i])) != NULL)
      status = read_rows(&s, l, kinds[i], frame, t);
  if (!l)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no loop with rlnCoordinateX, Y and Z, those of RELION 5 or orig_x, y and z",
                      text->op,
                      text->path);
  hed__star_clear(&s);
  return status;
}

const hed__table_kind hed__table_relion = { write_relion, read_star };
const hed__table_kind hed__table_relion5 = { write_relion5, read_star };
const hed__table_kind hed__table_stopgap = { write_stopgap, read_star };
