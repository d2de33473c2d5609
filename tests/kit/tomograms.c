// SPDX-License-Identifier: BSD-3-Clause
/* Lists of tomograms as tables, RELION 5's, and folders of Warp, AreTomo and others; what is none is refused with its line. */
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/tomograms.h>
#include <string.h>
#include <sys/stat.h>

static void save(const char *name, const char *text)
{
  kit_write(kit_path(name), text, strlen(text));
}

static void folder(const char *name)
{
  if (mkdir(kit_path(name), 0777) != 0)
    fail("cannot make '%s'", name);
}

/* The list's rows as text: names, and paths without the test's folder. */
static const char *shown(const hed_tomograms *t)
{
  static char text[1000];
  char root[400];
  snprintf(root, sizeof root, "%s", kit_path(""));
  *text = '\0';
  for (size_t i = 0; i < t->n; i++) {
    const hed_tomogram *r = &t->row[i];
    const char *const paths[] = { r->target, r->target_mask, r->tilts, r->ctf };
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "; " : "", r->name);
    for (int k = 0; k < 4; k++) {
      const char *s = paths[k] && strncmp(paths[k], root, strlen(root)) == 0 ? paths[k] + strlen(root) : paths[k] ? paths[k] : "-";
      snprintf(text + strlen(text), sizeof text - strlen(text), " %s", s);
    }
  }
  return text;
}

static void reads(const char *name, const char *want)
{
  hed_tomograms t;
  if (is_int(hed_tomograms_read(kit_path(name), &t), HED_OK, "%s is read", name))
    is_str(shown(&t), want, "and is what it says");
  else
    diag("%s", hed_error_text());
  hed_tomograms_clear(&t);
  ok(!t.row && !t.text && t.n == 0, "cleared");
}

static void refuse(const char *text, const char *part)
{
  hed_tomograms t;
  memset(&t, 0x5a, sizeof t);
  save("runs", text);
  is_int(hed_tomograms_read(kit_path("runs"), &t), HED_E_FORMAT, "refused: %s", part);
  has_str(hed_error_text(), part, "the sentence");
  has_str(hed_error_text(), "runs'", "names the file");
  ok(!t.row && t.n == 0, "nothing comes out");
}

static void numbers(void)
{
  hed_tomograms t;
  save("runs.tsv", "target\tvoxel\tdefocus\tkilovolt\tcs\tamplitude\thand\na.mrc\t7.5\t-20000\t200\t2\t0.1\t-1\nb.mrc\t-\t\t\t\t\t"
       "1\n");
  ok(hed_tomograms_read(kit_path("runs.tsv"), &t) == HED_OK && t.n == 2, "numbers of a table");
  const hed_tomogram *r = t.row;
  ok(r[0].voxel == 7.5 && r[0].defocus == -20000 && r[0].kilovolt == 200 && r[0].cs_mm == 2 && r[0].amplitude_contrast == 0.1 &&
     r[0].handedness == -1, "are its");
  ok(r[1].voxel == 0 && r[1].defocus == 0 && r[1].handedness == 1, "and what is not said is 0");
  hed_tomograms_clear(&t);
  ok(hed_tomograms_read(kit_path("project/Tomograms/job1/tomograms.star"), &t) == HED_OK && t.n == 2, "RELION's");
  r = t.row;
  ok(r[0].voxel > 5.4 - 1e-9 && r[0].voxel < 5.4 + 1e-9 && r[0].binning == 4 && r[0].unbinned[0] == 300 && r[0].unbinned[2] == 1000 &&
     r[0].kilovolt == 300 && r[0].cs_mm == 2.7 && r[0].amplitude_contrast == 0.1 && r[0].handedness == -1, "say what RELION's do");
  hed_tomograms_clear(&t);
}

static void touch(const char *const *name)
{
  for (; *name; name++)
    save(*name, "x");
}

int main(void)
{
  hed_tomograms t;
  kit_folder();
  save("runs.tsv", "# a comment\nname\ttarget\ttilts\ttarget_mask\tctf\nA\tx/a.mrc\t-60,60\t-\t/abs/c.txt\nB\t/abs/b.mrc\tb.tlt\t"
       "m.mrc\t\n");
  reads("runs.tsv", "A x/a.mrc - -60,60 /abs/c.txt; B /abs/b.mrc m.mrc b.tlt -");
  save("runs.tsv", "target\nx/a.b.mrc\nc.rec.gz\n");
  reads("runs.tsv", "a.b x/a.b.mrc - - -; c c.rec.gz - - -");

  folder("project");
  folder("project/Tomograms");
  folder("project/Tomograms/job1");
  touch((const char *const[]){ "project/Tomograms/job1/t.mrc", "project/ts.star", NULL });
  save("project/Tomograms/job1/tomograms.star",
       "# version 50001\n\ndata_global\n\nloop_\n_rlnTomoName #1\n_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n"
       "_rlnTomoHand\n"
       "_rlnTomoTiltSeriesPixelSize\n_rlnTomoTiltSeriesStarFile\n_rlnTomoTomogramBinning\n_rlnTomoSizeX\n_rlnTomoSizeY\n"
       "_rlnTomoSizeZ\n"
       "_rlnTomoReconstructedTomogram\n"
       "TS_1 300 2.7 0.1 -1 1.35 ts.star 4 1000 900 300 Tomograms/job1/t.mrc\n"
       "TS_2 300 2.7 0.1 -1 1.35 no.star 4 1000 900 300 no.mrc\n");
  reads("project/Tomograms/job1/tomograms.star", "TS_1 project/Tomograms/job1/t.mrc - project/ts.star -; TS_2 no.mrc - no.star -");
  numbers();

  folder("warp");
  folder("warp/reconstruction");
  touch((const char *const[]){ "warp/TS_1.xml", "warp/reconstruction/TS_1_10.00Apx.mrc", "warp/reconstruction/TS_2_10.00Apx.mrc",
                               "warp/reconstruction/TS_1_10.00Apx.png", NULL });
  reads("warp", "TS_1 warp/reconstruction/TS_1_10.00Apx.mrc - warp/TS_1.xml -; TS_2 warp/reconstruction/TS_2_10.00Apx.mrc - - -");
  folder("aretomo");
  touch((const char *const[]){ "aretomo/P_1_Vol.mrc", "aretomo/P_1_EVN_Vol.mrc", "aretomo/P_1_ODD_Vol.mrc", "aretomo/P_1.mrc",
                               "aretomo/P_1_CTF.mrc", "aretomo/P_1_TLT.txt", "aretomo/P_1_CTF.txt", NULL });
  reads("aretomo", "P_1 aretomo/P_1_Vol.mrc - aretomo/P_1_TLT.txt aretomo/P_1_CTF.txt");
  folder("plain");
  touch((const char *const[]){ "plain/b.rec", "plain/a.mrc", "plain/a_mask.mrc", "plain/a.rawtlt", "plain/a.tlt", "plain/a.defocus",
                               "plain/.hidden.mrc", NULL });
  reads("plain", "a plain/a.mrc plain/a_mask.mrc plain/a.tlt plain/a.defocus; b plain/b.rec - - -");

  refuse("", "is empty");
  refuse("name\n", "no column 'target'");
  refuse("target\tcolour\n", "line 1: 'colour' is no column");
  refuse("target\ttarget\n", "names column 'target' twice");
  refuse("target\n", "has no tomograms");
  refuse("target\tvoxel\na.mrc\n", "line 2 has 1 fields instead of 2");
  refuse("target\tvoxel\na.mrc\tsmall\n", "line 2: voxel is 'small'");
  refuse("target\tvoxel\na.mrc\t-3\n", "line 2: voxel is -3; between 0.001 and 1e+06");
  refuse("target\thand\na.mrc\t0\n", "line 2: hand is 0; -1 or 1");
  refuse("name\ttarget\nA\t-\n", "line 2 has no target");
  refuse("name\ttarget\nA b\ta.mrc\n", "tomogram 1 has the name 'A b'");
  refuse("target\nx/a.mrc\nb.mrc\ny/a.rec\n", "tomograms 1 and 3 have the name 'a'");
  refuse("data_\nloop_\n_rlnOther\n1\n", "has no rlnTomoName");
  refuse("data_\nloop_\n_rlnTomoName\nA\n", "are not reconstructed");
  refuse("data_\nloop_\n_rlnTomoName\n_rlnTomoReconstructedTomogram\n_rlnVoltage\nA a.mrc high\n", "rlnVoltage is 'high'");
  refuse("data_\nloop_\n_rlnTomoName\n_rlnTomoReconstructedTomogram\n_rlnTomoSizeX\nA a.mrc -4\n", "rlnTomoSizeX is -4");
  folder("empty");
  is_int(hed_tomograms_read(kit_path("empty"), &t), HED_E_FORMAT, "an empty folder");
  is_int(hed_tomograms_read(kit_path("absent"), &t), HED_E_IO, "a list that is not there");
  is_int(hed_tomograms_read(NULL, &t), HED_E_INVAL, "NULL");
  hed_tomograms_clear(NULL);
  done_testing();
  return done();
}
