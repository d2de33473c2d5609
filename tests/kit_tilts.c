// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tilt series as IMOD, AreTomo and SerialEM write them; files that are not, refused with their line.
 */
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/filter.h>
#include <string.h>

static const char *save(const char *text)
{
  const char *path = kit_path("series.tlt");
  kit_write(path, text, strlen(text));
  return path;
}

static void read_well(const char *text, size_t n, const char *name, hed_tilts *t)
{
  if (!ok(hed_tilts_read(save(text), t) == HED_OK && t->n == n, "%s: %zu tilts", name, n))
    diag("%s", hed_error_text());
}

static void are(const double *got, size_t n, const double *want, const char *name)
{
  size_t bad = got ? 0 : n;
  for (size_t i = 0; got && i < n; i++)
    bad += !(got[i] > want[i] - 1e-9 && got[i] < want[i] + 1e-9);
  is_uint(bad, 0, "%s", name);
}

static void good_files(void)
{
  hed_tilts t;
  read_well(" -60.0\n-3.01\r\n\n# a comment\n  42.5 # another\n", 3, "angles", &t);
  are(t.angle, t.n, (const double[]){ -60, -3.01, 42.5 }, "their values");
  ok(!t.dose && !t.defocus_u, "and no more");
  hed_tilts_clear(&t);
  ok(!t.angle && t.n == 0, "cleared");

  read_well("-6.0 3 2.5\n0.0 1 2.0\n3.0 2 2.25\n", 3, "angle, order, exposure", &t);
  are(t.angle, t.n, (const double[]){ -6, 0, 3 }, "angles");
  are(t.dose, t.n, (const double[]){ 4.25, 0, 2 }, "doses before each, in the order of acquisition");
  hed_tilts_clear(&t);

  read_well("1 1 -50.0 -50.0 4000.5 2\n2 2 0 0 3900\n3\t4\t48.0\t52.0\t4100\n", 3, "a defocus file, version 2", &t);
  are(t.angle, t.n, (const double[]){ -50, 0, 50 }, "angles, of ranges the middle");
  are(t.defocus_u, t.n, (const double[]){ 40005, 39000, 41000 }, "defoci in angstrom");
  ok(!t.defocus_v, "of one kind");
  hed_tilts_clear(&t);
  read_well("1 0 0. 0. 0 3\n1 1 -2.0 -2.0 3000 2900 35.5\n2 2 1.0 1.0 3100 3050 -20\n", 2, "a defocus file, version 3", &t);
  are(t.defocus_u, t.n, (const double[]){ 30000, 31000 }, "one defocus");
  are(t.defocus_v, t.n, (const double[]){ 29000, 30500 }, "the other");
  are(t.astigmatism, t.n, (const double[]){ 35.5, -20 }, "the angle");
  hed_tilts_clear(&t);

  read_well("PixelSpacing = 1.35\nVoltage = 200\n\n[T = SerialEM: title]\n\n[ZValue = 0]\nTiltAngle = 0.01\nExposureDose = 3\n"
            "StagePosition = 1 2\n\n[ZValue = 1]\nExposureDose = 3.5\nTiltAngle = 3\n\n"
            "[ZValue = 2]\nTiltAngle = -3\nExposureDose = 4\n",
            3, "an mdoc", &t);
  are(t.angle, t.n, (const double[]){ 0.01, 3, -3 }, "angles");
  are(t.dose, t.n, (const double[]){ 0, 3, 6.5 }, "doses");
  is_near(t.kilovolt, 200, 0, 0, "voltage");
  hed_tilts_clear(&t);
}

static void refuse(const char *text, const char *part)
{
  hed_tilts t;
  memset(&t, 0x5a, sizeof t);
  hed_error_clear();
  is_int(hed_tilts_read(save(text), &t), HED_E_FORMAT, "refused: %s", part);
  has_str(hed_error_text(), part, "the sentence");
  has_str(hed_error_text(), "series.tlt", "names the file");
  ok(!t.angle && t.n == 0, "nothing comes out");
}

int main(void)
{
  hed_tilts t;
  kit_folder();
  good_files();
  refuse("", "is empty");
  refuse("# nothing\n\n", "is empty");
  refuse("-60\n-57 x\n", "line 2: 'x' is no number");
  refuse("-60\nnan\n", "line 2: 'nan' is no number");
  refuse("-60\n95\n", "line 2: a tilt of 95 degrees");
  refuse("-60\n-57 2\n", "line 2 has 2 columns");
  refuse("-60 1 2\n-57\n", "line 2 has 1 columns");
  refuse("-60 1 -2\n", "line 1: an exposure of -2");
  refuse("1 1 -50 -50 4000 2\n2 2 0\n", "line 2 has 3 fields");
  refuse("1 0 0 0 0 3\n1 1 -2 -2 3000\n", "line 2 has 5 fields; version 3 has 7");
  refuse("1 1 -50 -50 4000 7 8\n", "the sixth 7");
  refuse("1 0 0. 0. 0 3\n", "has no tilts");
  refuse("[ZValue = 0]\nTiltAngle = steep\n", "TiltAngle is 'steep'");
  refuse("[ZValue = 0]\n[ZValue = 1]\nTiltAngle = 1\n", "has no TiltAngle");
  refuse("[ZValue = 0]\nTiltAngle = 1\nTiltAngle = 2\n", "second TiltAngle");
  refuse("[ZValue = 0]\nTiltAngle = 1\nExposureDose = 1\n[ZValue = 1]\nTiltAngle = 2\n", "2 sections and 1 doses");
  refuse("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "one too many");
  is_int(hed_tilts_read(kit_path("absent"), &t), HED_E_IO, "a file that is not there");
  is_int(hed_tilts_read(NULL, &t), HED_E_INVAL, "NULL");
  done_testing();
  return done();
}
