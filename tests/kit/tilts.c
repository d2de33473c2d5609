// SPDX-License-Identifier: BSD-3-Clause
/* Tilt series as IMOD, AreTomo, SerialEM, RELION 5, Warp, CTFFIND and STOPGAP write them; files that are not, refused with their line.
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
  are(t.dose, t.n, (const double[]){ 6.75, 2, 4.25 }, "doses, in the order of acquisition");
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
            "Defocus = -3.1\n"
            "StagePosition = 1 2\n\n[ZValue = 1]\nExposureDose = 3.5\nDefocus = -3.2\nTiltAngle = 3\n\n"
            "[ZValue = 2]\nTiltAngle = -3\nExposureDose = 4\nDefocus = 0.5\n",
            3, "an mdoc", &t);
  are(t.angle, t.n, (const double[]){ 0.01, 3, -3 }, "angles");
  are(t.dose, t.n, (const double[]){ 3, 6.5, 10.5 }, "doses, each with its own");
  are(t.defocus_u, t.n, (const double[]){ 31000, 32000, -5000 }, "defoci");
  is_near(t.kilovolt, 200, 0, 0, "voltage");
  hed_tilts_clear(&t);
}

static void other_programs(void)
{
  hed_tilts t, more;
  static const char series[] = "# version 50001\n\ndata_TS_01\n\nloop_\n_rlnTomoNominalStageTiltAngle #1\n"
    "_rlnMicrographPreExposure #2\n"
    "_rlnDefocusU #3\n_rlnDefocusV #4\n_rlnDefocusAngle #5\n_rlnMicrographName\n-3 3.5 30000 29000 45 'a b.mrc'\n"
    "0.5 0 31000 30500 -20 c.mrc\n";
  read_well(series, 2, "RELION 5's series", &t);
  are(t.angle, t.n, (const double[]){ -3, 0.5 }, "angles");
  are(t.dose, t.n, (const double[]){ 3.5, 0 }, "doses");
  are(t.defocus_v, t.n, (const double[]){ 29000, 30500 }, "defocus");
  are(t.astigmatism, t.n, (const double[]){ 45, -20 }, "its angle");
  hed_tilts_clear(&t);
  kit_write(kit_path("TS_01.star"), series, sizeof series - 1);
  read_well("data_global\n\nloop_\n_rlnTomoName\n_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n_rlnTomoHand\n"
            "_rlnTomoTiltSeriesStarFile\nTS_01 200 2.26 0.08 -1 TS_01.star\n", 2, "RELION 5's list of one tomogram", &t);
  are(t.angle, t.n, (const double[]){ -3, 0.5 }, "angles of its series");
  ok(t.kilovolt > 199 && t.kilovolt < 201 && t.cs_mm > 2.25 && t.amplitude_contrast > 0.07 && t.handedness == -1, "constants");
  hed_tilts_clear(&t);

  read_well("data_\n\nloop_\n_wrpMovieName #1\n_wrpAngleTilt #2\n_wrpDose #3\na.mrc 3.0 1\nb.mrc -6.0 4\n", 2, "Warp's .tomostar", &t);
  are(t.angle, t.n, (const double[]){ -3, 6 }, "angles of the other sign");
  are(t.dose, t.n, (const double[]){ 1, 4 }, "doses");
  hed_tilts_clear(&t);
  read_well("<?xml version=\"1.0\"?>\n<TiltSeries AreAnglesInverted=\"False\">\n<Angles>3\n-6\n9</Angles>\n<Dose>0\n2\n4</Dose>\n"
            "<UseTilt>True\nFalse\nTrue</UseTilt>\n<CTF><Param Name=\"Voltage\" Value=\"300\" /><Param Name=\"Cs\" Value=\"2.7\" />"
            "<Param Name=\"Amplitude\" Value=\"0.07\" /><Param Name=\"DefocusDelta\" Value=\"0.2\" />"
            "<Param Name=\"DefocusAngle\" Value=\"30\" /><Param Name=\"PhaseShift\" Value=\"0.5\" /></CTF>\n"
            "<GridCTF Width=\"1\" Height=\"1\" Depth=\"3\"><Node X=\"0\" Y=\"0\" Z=\"0\" Value=\"3.0\" />"
            "<Node X=\"0\" Y=\"0\" Z=\"2\" Value=\"3.4\" /><Node X=\"0\" Y=\"0\" Z=\"1\" Value=\"3.2\" /></GridCTF>\n"
            "<GridMovementX><Node X=\"0\" Y=\"0\" Z=\"0\" Value=\"77\" /></GridMovementX></TiltSeries>\n", 3, "Warp's XML", &t);
  are(t.angle, t.n, (const double[]){ -3, 6, -9 }, "angles of the other sign");
  are(t.dose, t.n, (const double[]){ 0, 2, 4 }, "doses");
  ok(t.use && t.use[0] && !t.use[1] && t.use[2], "which are used");
  are(t.defocus_u, t.n, (const double[]){ 31000, 33000, 35000 }, "defocus and half of the difference");
  are(t.defocus_v, t.n, (const double[]){ 29000, 31000, 33000 }, "the other");
  are(t.astigmatism, t.n, (const double[]){ 30, 30, 30 }, "angle");
  are(t.phase_shift, t.n, (const double[]){ 1.5707963267948966, 1.5707963267948966, 1.5707963267948966 }, "phase shift");
  hed_tilts_clear(&t);

  read_well("# Output from CTFFind version 4.1\n"
    "# Pixel size: 1.35 Angstroms ; acceleration voltage: 200.0 keV ; spherical aberration: "
            "2.26 mm ; amplitude contrast: 0.08\n# Columns: #1 - micrograph number; #2 - defocus 1 [Angstroms]; #3 - defocus 2\n"
            "1.0 30000 29000 45.5 0.1 0.2 8\n2.0 31000 30500 -10 0 0.2 9\n", 2, "CTFFIND's list", &t);
  are(t.defocus_u, t.n, (const double[]){ 30000, 31000 }, "defocus");
  are(t.defocus_v, t.n, (const double[]){ 29000, 30500 }, "the other");
  are(t.astigmatism, t.n, (const double[]){ 45.5, -10 }, "azimuth");
  are(t.phase_shift, t.n, (const double[]){ 0.1, 0 }, "phase shift");
  ok(!t.angle && t.kilovolt > 199 && t.kilovolt < 201 && t.cs_mm > 2.25 && t.cs_mm < 2.27 && t.amplitude_contrast > 0.079,
     "no angles, what the comments say");
  read_well("-3\n3\n", 2, "angles for them", &more);
  ok(hed_tilts_join(&more, &t) == HED_OK && more.n == 2 && t.n == 0 && !t.defocus_u, "joined");
  are(more.defocus_u, more.n, (const double[]){ 30000, 31000 }, "with the defocus");
  read_well("-3\n3\n4\n", 3, "three angles", &t);
  is_int(hed_tilts_join(&more, &t), HED_E_INVAL, "of another number");
  has_str(hed_error_text(), "one has 2 tilts, the other 3", "both are said");
  hed_tilts_clear(&more);
  hed_tilts_clear(&t);

  read_well("data_stopgap_wedgelist\n\nloop_\n_tomo_num\n_tilt_angle\n_defocus\n_exposure\n_voltage\n_amp_contrast\n_cs\n_pshift\n"
            "1 -2 3.5 1 300 0.07 2.7 90\n1 1 3.6 4 300 0.07 2.7 0\n", 2, "STOPGAP's wedge list", &t);
  are(t.angle, t.n, (const double[]){ -2, 1 }, "angles");
  are(t.defocus_u, t.n, (const double[]){ 35000, 36000 }, "defocus");
  are(t.phase_shift, t.n, (const double[]){ 1.5707963267948966, 0 }, "phase shift");
  are(t.dose, t.n, (const double[]){ 1, 4 }, "exposure");
  hed_tilts_clear(&t);

  read_well("# Columns: #1 micrograph number; #2 - defocus 1 [A]; #3 - defocus 2; #4 - azimuth; #5 - phase; #6 - score; #7 - fit; "
            "#8 - dfHand\n1 30000 29000 45 0 0.2 8 -1\n2 31000 30500 -10 0 0.2 9 -1\n", 2, "AreTomo 3's list", &t);
  is_int(t.handedness, -1, "handedness");
  hed_tilts_clear(&t);
  read_well("angles\tweights\n-3\t0.5\n3\t1\n", 2, "pyTME's weights", &t);
  are(t.weight, t.n, (const double[]){ 0.5, 1 }, "weights");
  hed_tilts_clear(&t);
  read_well("angles\tdefocus_u\n-3\t30000\n3\t31000\n", 2, "columns with names", &t);
  are(t.angle, t.n, (const double[]){ -3, 3 }, "angles");
  are(t.defocus_u, t.n, (const double[]){ 30000, 31000 }, "defocus");
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
  other_programs();
  refuse("data_x\nloop_\n_other\n1\n", "no rlnTomoNominalStageTiltAngle");
  refuse("data_x\nloop_\n_wrpAngleTilt\nsteep\n", "wrpAngleTilt is 'steep'");
  refuse("data_x\nloop_\n_wrpAngleTilt\n95\n", "tilt 1 has an angle of -95");
  refuse("data_x\nloop_\n_rlnTomoName\n_rlnTomoTiltSeriesStarFile\na b\nc d\n", "lists 2 tomograms");
  refuse("data_x\nloop_\n_tomo_num\n_tilt_angle\n1 3\n2 4\n", "has tomograms 1 and 2");
  refuse("<TiltSeries>\n<Angles>1\n2</Angles>\n<Dose>1</Dose>", "line 4: 1 values of Dose of 2 tilts");
  refuse("<TiltSeries>\n<Angles>1\nx</Angles>", "line 3: Angles is 'x'");
  refuse("<TiltSeries>\n<UseTilt>True</UseTilt>", "UseTilt before Angles");
  refuse("<TiltSeries>\n<Angles>1</Angles><GridCTF><Node Z=\"4\" Value=\"1\"/>", "a node of tilt 4");
  refuse("<Movie></Movie>", "no TiltSeries");
  refuse("<TiltSeries", "a tag does not end");
  refuse("# defocus 1\n1 2 3\n", "has 3 columns");
  refuse("angles\tlengths\n1\t2\n", "'lengths' is no column");
  refuse("angles\tweights\n1\t-2\n", "tilt 1 has a weight of -2");
  refuse("# defocus 1, #8 dfHand\n1 2 3 4 5 6 7 1\n1 2 3 4 5 6 7 -1\n", "line 3: dfHand is -1, and 1 in the lines before");
  refuse("[ZValue = 0]\nTiltAngle = 1\nDefocus = -1\n[ZValue = 1]\nTiltAngle = 2\n", "2 sections and 1 defoci");
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
