// SPDX-License-Identifier: BSD-3-Clause
/* Tables of other programs: angles against the matrices that their programs' conventions mean, multiplied out here; there
 * and back, gimbal rows included; what other programs write; what is refused.  Column by column: columns.c.
 */
#include "gen.h"
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/rotation.h>
#include <heddle/kits/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A right-handed turn about axis 0 x, 1 y, 2 z, in physical order, onto M from the right. */
static void turned(double m[9], int axis, double degrees)
{
  const double a = degrees * 3.14159265358979323846 / 180, c = cos(a), s = sin(a);
  const int p = (axis + 1) % 3, q = (axis + 2) % 3;
  double r[9] = { 0 }, out[9] = { 0 };
  r[4 * axis] = 1;
  r[4 * p] = r[4 * q] = c;
  r[3 * p + q] = -s;
  r[3 * q + p] = s;
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++)
      out[i] += m[i / 3 * 3 + k] * r[3 * k + i % 3];
  memcpy(m, out, sizeof out);
}

/* Three turns, one after the other. */
static void product(const int axes[3], const double angles[3], double m[9])
{
  for (int i = 0; i < 9; i++)
    m[i] = i % 4 == 0;
  for (int i = 0; i < 3; i++)
    turned(m, axes[i], angles[i]);
}

static double off(const double a[9], const double b[9], bool transposed)
{
  double worst = 0;
  for (int i = 0; i < 9; i++)
    worst = fmax(worst, fabs(a[i] - b[transposed ? i % 3 * 3 + i / 3 : i]));
  return worst;
}

/* The numbers of the table's rows in a file, by column, comments and text apart. */
static void columns(const char *path, size_t row, int first, int n, double *v, char start)
{
  size_t size;
  char *text = (char *)kit_read(path, &size), *s = text;
  for (size_t k = 0; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
    if ((start && *s != start) || k++ < row)
      continue;
    for (int c = 1; c < first; c++)
      s = strpbrk(s, "\t ") + 1;
    for (int i = 0; i < n; i++)
      v[i] = strtod(s, &s);
    break;
  }
  free(text);
}

static void round_trip(gen *g, int format, const char *name)
{
  enum { N = 60 };
  static hed_table_row rows[N];
  const hed_table t = { .n = N, .row = rows };
  const hed_table_frame frame = { .voxel = { 4, 4, 4 }, .origin = { 8, 0, -8 }, .tomogram = "TS_01", .extent = { 200, 301, 400 },
                                  .binning = 2, .half_less_one = format == HED_TABLE_RELION5 };
  static const int zyz[3] = { 2, 1, 2 }, zxz[3] = { 2, 0, 2 };
  const char *path = kit_path("particles");
  hed_table back;
  double angle = 0, place = 0, theirs = 0;
  for (int i = 0; i < N; i++) {
    rows[i] = (hed_table_row){ .id = i + 1, .score = gen_unit(g) };
    for (int a = 0; a < 3; a++)
      rows[i].position[a] = 500 * gen_unit(g);
    rows[i].euler[0] = 360 * gen_unit(g) - 180;
    rows[i].euler[1] = i % 10 == 0 ? 0 : i % 10 == 1 ? 180 : 180 * gen_unit(g);
    rows[i].euler[2] = 360 * gen_unit(g) - 180;
  }
  if (!ok(hed_table_write_as(path, &t, format, &frame) == HED_OK && hed_table_read_as(path, format, &frame, &back) == HED_OK &&
          back.n == N, "%s: written and read", name)) {
    diag("%s", hed_error_text());
    return;
  }
  for (size_t i = 0; i < N; i++) {
    double ours[9], again[9], v[3], m[9];
    product(zyz, rows[i].euler, ours);
    product(zyz, back.row[i].euler, again);
    angle = fmax(angle, off(ours, again, false));
    for (int a = 0; a < 3; a++) {
      place = fmax(place, fabs(rows[i].position[a] - back.row[i].position[a]));
      place = fmax(place, fabs(back.row[i].angstrom[a] - frame.origin[a] - 4 * rows[i].position[a]) / 4);
    }
    const bool star = format == HED_TABLE_RELION || format == HED_TABLE_RELION5, pytme = format == HED_TABLE_PYTME;
    if (star || pytme) {
      columns(path, i + pytme, star ? 5 : 4, 3, v, star ? 'T' : '\0');
      product(zyz, v, m);
    } else if (format == HED_TABLE_STOPGAP) {
      double w[16] = { 0 };
      columns(path, i + 20, 13, 3, w, '\0'); /* behind phi, psi, the stand in another order */
      product(zxz, (double[3]){ w[1], w[2], w[0] }, m);
    } else {
      columns(path, i, 7, 3, v, '\0');
      product(zxz, (double[3]){ -v[0], -v[1], -v[2] }, m);
    }
    theirs = fmax(theirs, off(m, ours, star || pytme));
  }
  ok(angle < 1e-6, "%s: the same orientations (%g)", name, angle);
  ok(place < 1e-4, "%s: the same places (%g)", name, place);
  ok(theirs < 1e-6, "%s: its angles mean that orientation (%g)", name, theirs);
  hed_table_clear(&back);
}

static void foreign(void)
{
  static const char star[] = "# version 30001\r\n\r\ndata_optics\r\n\r\n"
    "loop_\r\n_rlnOpticsGroup #1\r\n_rlnImagePixelSize #2\r\n1 4.0\r\n\r\n"
    "data_particles\r\n\r\nloop_\r\n_rlnCoordinateZ #1\r\n_rlnMicrographName\r\n_rlnCoordinateX #3\r\n_rlnCoordinateY #4\r\n"
    "3 'a name' 1 2\r\n6 b 4 5\r\n\r\ndata_other\r\n_single 7\r\n";
  const char *path = kit_path("foreign.star");
  hed_table t;
  kit_write(path, star, sizeof star - 1);
  ok(hed_table_read_as(path, HED_TABLE_RELION, NULL, &t) == HED_OK && t.n == 2, "another program's STAR file");
  if (t.n == 2) {
    is_near(t.row[1].position[0], 6, 0, 0, "z");
    is_near(t.row[1].position[1], 5, 0, 0, "y");
    is_near(t.row[0].position[2], 1, 0, 0, "x");
  }
  hed_table_clear(&t);
  static const char points[] = "  1  1  10.5 20 30\n  1  2  1 2 3\n";
  kit_write(path, points, sizeof points - 1);
  ok(hed_table_read_as(path, HED_TABLE_COORDINATES, NULL, &t) == HED_OK && t.n == 2, "points with object and contour");
  is_near(t.n ? t.row[0].position[2] : 0, 10.5, 0, 0, "x is the third");
  hed_table_clear(&t);
}

/* RELION 4: orientations are those of subtomograms times those in them, and origins lie along the subtomograms' axes. */
static void boxed(void)
{
  static const char star[] =
    "data_optics\nloop_\n_rlnOpticsGroup\n_rlnVoltage\n_rlnImagePixelSize\n_rlnOpticsGroupName\n2 300 2.5 'a b'\n1 200 5 c\n"
    "data_particles\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n_rlnTomoSubtomogramRot\n_rlnTomoSubtomogramTilt\n"
    "_rlnTomoSubtomogramPsi\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n_rlnOriginZAngst\n"
    "_rlnOpticsGroup\n_rlnRemark\n10 20 30 10 20 30 40 50 60 2.5 5 -7.5 2 'two words'\n";
  static const int zyz[3] = { 2, 1, 2 };
  const double origin[3] = { 1, 2, -3 };
  double box[9], own[9], want[9] = { 0 }, got[9];
  hed_table t, back;
  kit_write(kit_path("boxed.star"), star, sizeof star - 1);
  if (!ok(hed_table_read_as(kit_path("boxed.star"), HED_TABLE_RELION, NULL, &t) == HED_OK && t.n == 1, "subtomograms' angles"))
    return;
  product(zyz, (double[]){ 10, 20, 30 }, box); /* both are transposed */
  product(zyz, (double[]){ 40, 50, 60 }, own);
  product(zyz, t.row[0].euler, got);
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++)
      want[i] += box[3 * k + i / 3] * own[i % 3 * 3 + k];
  ok(off(got, want, false) < 1e-6, "times those in them");
  for (int a = 0; a < 3; a++)
    is_near(t.row[0].position[2 - a], 10 * (a + 1) - (box[a] * origin[0] + box[3 + a] * origin[1] + box[6 + a] * origin[2]), 1e-9, 0,
            "an origin in their axes");
  is_near(t.voxel[0], 2.5, 0, 0, "voxels of the optics group of the row");
  is_int(hed_table_write_as(kit_path("again.star"), &t, HED_TABLE_RELION, NULL), HED_OK, "written again");
  is_int(hed_table_read_as(kit_path("again.star"), HED_TABLE_BY_CONTENT, NULL, &back), HED_OK, "and read");
  is_str(back.columns ? back.columns : "", "rlnOpticsGroup\trlnRemark", "columns that are kept");
  is_str(back.n && back.row[0].more ? back.row[0].more : "", "2\ttwo words", "and what is in them");
  is_str(back.blocks ? back.blocks : "", t.blocks ? t.blocks : "none", "and the optics");
  ok(back.n == 1 && fabs(back.row[0].position[0] - t.row[0].position[0]) < 1e-6, "nothing is added twice");
  char text[80];
  is_int(hed_table_omits(&t, HED_TABLE_RELION5, text, sizeof text), 0, "RELION 5 holds all of it");
  is_int(hed_table_omits(&t, HED_TABLE_COORDINATES, text, sizeof text), 4, "points do not");
  is_str(text, "angles, rlnOpticsGroup, rlnRemark, other blocks of the STAR file", "and what they lack is named");
  t.row[0].more = "2";
  is_int(hed_table_write_as(kit_path("x"), &t, HED_TABLE_RELION, NULL), HED_E_INVAL, "too few words are kept");
  has_str(hed_error_text(), "keeps 1 words of 2 columns", "the sentence");
  t.row[0].more = "2\tboth \" and '";
  is_int(hed_table_write_as(kit_path("x"), &t, HED_TABLE_RELION, NULL), HED_E_INVAL, "a word that STAR cannot quote");
  hed_table_clear(&t);
  hed_table_clear(&back);
}

static void refuse(const char *text, int format, const char *part)
{
  const char *path = kit_path("bad");
  hed_table t;
  kit_write(path, text, strlen(text));
  hed_error_clear();
  is_int(hed_table_read_as(path, format, NULL, &t), HED_E_FORMAT, "refused: %s", part);
  has_str(hed_error_text(), part, "the sentence");
  ok(t.n == 0 && !t.row, "nothing comes out");
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  kit_folder();
  round_trip(&g, HED_TABLE_RELION, "RELION");
  round_trip(&g, HED_TABLE_DYNAMO, "Dynamo");
  round_trip(&g, HED_TABLE_RELION5, "RELION 5");
  round_trip(&g, HED_TABLE_STOPGAP, "STOPGAP");
  round_trip(&g, HED_TABLE_PYTME, "pyTME");
  foreign();
  boxed();
  refuse("", HED_TABLE_RELION, "no loop with rlnCoordinateX");
  refuse("data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n1 2\n", HED_TABLE_RELION,
         "line 6 has 2 fields instead of 3");
  refuse("data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n1 2 x\n", HED_TABLE_RELION,
         "rlnCoordinateZ is 'x', no number");
  refuse("loop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n_rlnAngleRot\n1 2 3 up\n", HED_TABLE_RELION,
         "rlnAngleRot is 'up'");
  refuse("loop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n1 2 '3\n", HED_TABLE_RELION, "a quote does not end");
  refuse("x\ty\tz\n1\t2\n", HED_TABLE_PYTME, "line 2 has 2 fields instead of 3");
  refuse("", HED_TABLE_PYTME, "is empty");
  refuse("1 2 3\n1 b 3\n", HED_TABLE_COORDINATES, "line 2: y is 'b'");
  refuse("loop_\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n_rlnOriginX\n_rlnOriginXAngst\n1 2 3 4 5\n", HED_TABLE_RELION,
         "origins along x in voxels and in angstrom");
  refuse("hello\n", HED_TABLE_BY_CONTENT, "line 1 has no column");
  refuse("1 2\n", HED_TABLE_BY_CONTENT, "begins as no table does");
  refuse("index,axis-0,axis-1,axis-2\n0,1,2\n", HED_TABLE_NAPARI, "line 2 has 3 fields");
  refuse("<marker_set>\n<marker x=\"1\"", HED_TABLE_CHIMERAX, "a tag does not end");
  refuse("1 2 3\n", HED_TABLE_CHIMERAX, "no marker_set");
  static const char centred[] = "loop_\n_rlnCenteredCoordinateXAngst\n"
    "_rlnCenteredCoordinateYAngst\n_rlnCenteredCoordinateZAngst\n1 2 3\n";
  hed_table t = { 0 };
  kit_write(kit_path("five"), centred, sizeof centred - 1);
  is_int(hed_table_read_as(kit_path("five"), HED_TABLE_RELION5, NULL, &t), HED_E_INVAL, "RELION 5 without extents");
  has_str(hed_error_text(), "extents are not given", "the sentence");
  is_int(hed_table_write_as(kit_path("x"), &t, HED_TABLE_RELION5, NULL), HED_E_INVAL, "neither written");
  is_str(hed_table_format_name(HED_TABLE_STOPGAP), "stopgap", "names");
  ok(!hed_table_format_name(HED_TABLE_CHIMERAX + 1) && !hed_table_format_name(HED_TABLE_BY_CONTENT), "and no more");
  is_int(hed_table_write_as(kit_path("x"), &t, 70, NULL), HED_E_INVAL, "a format that there is not");
  is_int(hed_table_write_as(kit_path("x"), &t, HED_TABLE_RELION, &(hed_table_frame){ .tomogram = "a b" }), HED_E_INVAL,
         "a name with a blank");
  done_testing();
  return done();
}
