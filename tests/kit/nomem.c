// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of the kit's functions, and of the library below them, fails once, in turn. Each
 * time the function must say HED_E_NOMEM, give nothing, and leave no file; leaks are for
 * valgrind and AddressSanitizer to find. Linked with the static library so that the linker
 * can put the failing allocator (--wrap) under it.
 */
#include "arrays.h"
#include "failing.h"
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/filter.h>
#include <heddle/kits/map.h>
#include <heddle/kits/mask.h>
#include <heddle/kits/match.h>
#include <heddle/kits/model.h>
#include <heddle/kits/refine.h>
#include <heddle/kits/staged.h>
#include <heddle/kits/rotation.h>
#include <heddle/kits/table.h>
#include <heddle/kits/tomograms.h>
#include <heddle/kits/ultrasound.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hed_array *volume;
static hed_model model;
static hed_table table;

static hed_status map_write(void) {
  hed_map m = {.data = volume, .voxel = {1, 1, 1}};
  return hed_map_write(kit_path("out.mrc"), &m, 2);
}

static hed_status map_read(void) {
  hed_map m;
  hed_status status = hed_map_read(kit_path("in.mrc"), &m);
  if (status != HED_OK && m.data)
    fail("a map came out of a failure");
  hed_map_clear(&m);
  return status;
}

static hed_status model_read(const char *path) {
  hed_model m;
  hed_status status = hed_model_read(path, &m);
  if (status != HED_OK && (m.n || m.x))
    fail("a model came out of a failure");
  hed_model_clear(&m);
  return status;
}

static hed_status pdb_read(void) {
  return model_read(kit_path("in.pdb"));
}

static hed_status cif_read(void) {
  return model_read(kit_path("in.cif"));
}

static hed_status density(void) {
  hed_map m;
  hed_status status = hed_model_to_map(&model, 2, 8, NULL, &m);
  if (status != HED_OK && m.data)
    fail("a density came out of a failure");
  hed_map_clear(&m);
  return status;
}

static hed_status table_write(void) {
  return hed_table_write(kit_path("out.tsv"), &table, "comment");
}

static hed_status table_read(void) {
  hed_table t;
  hed_status status = hed_table_read(kit_path("in.tsv"), &t);
  if (status != HED_OK && (t.n || t.row))
    fail("a table came out of a failure");
  hed_table_clear(&t);
  return status;
}

static hed_status rotations(void) {
  double *m;
  size_t n;
  hed_status status = hed_rotations_sample(3, 60, &m, &n);
  if (status != HED_OK && (m || n))
    fail("rotations came out of a failure");
  free(m);
  return status;
}

static hed_status model_parse(void) {
  static const char text[] = "ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277\n";
  hed_model m;
  hed_status status = hed_model_parse("text", text, sizeof text - 1, &m);
  if (status != HED_OK && (m.n || m.x))
    fail("a model came out of a failure");
  hed_model_clear(&m);
  return status;
}

static hed_status model_example(void) {
  hed_model m;
  hed_status status = hed_model_example(&m);
  if (status != HED_OK && (m.n || m.x))
    fail("a model came out of a failure");
  hed_model_clear(&m);
  return status;
}

/* ---- matching ---- */

static hed_array *tmpl, *best, *which;
static const double upright[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 1, 0, 0, 0, 0, 1};

static hed_status match(const char *score, const char *workers) {
  hed_match_options opt = {.score = score, .workers = workers, .threshold = -1};
  hed_match_result r;
  hed_status status = hed_match_run(&opt, volume, tmpl, NULL, 2, upright, &r);
  if (status != HED_OK && (r.scores || r.rotations || r.worker))
    fail("a result came out of a failure");
  hed_match_result_clear(&r);
  return status;
}

static hed_status match_here(void) {
  return match("FLC", NULL);
}

static hed_status match_worker(void) {
  return match("CORR", "reference;threads=1");
}

static hed_status match_memory(void) {
  const hed_shape large = HED_SHAPE(8, 8, 8), small = HED_SHAPE(4, 4, 4);
  return hed_match_memory("FLC", large, small, true, 2) > 0 ? HED_OK : hed_error();
}

static hed_status match_sphere(void) {
  hed_array *a = hed_match_sphere(HED_SHAPE(4, 4, 4), 0);
  hed_release(a);
  return a ? HED_OK : hed_error();
}

static hed_status match_peaks(void) {
  hed_match_peak *p;
  size_t n;
  hed_status status = hed_match_peaks(best, which, NULL, &p, &n);
  if (status != HED_OK && (p || n))
    fail("peaks came out of a failure");
  free(p);
  return status;
}

static hed_status match_table(void) {
  const hed_match_peak peak = {.position = {1, 2, 3}, .score = 1};
  const double voxel[3] = {1, 1, 1}, origin[3] = {0, 0, 0};
  hed_table t;
  hed_status status = hed_match_table(1, &peak, 3, upright, 2, voxel, origin, &t);
  if (status != HED_OK && (t.n || t.row))
    fail("a table came out of a failure");
  hed_table_clear(&t);
  return status;
}

static hed_status match_compare(void) {
  hed_match_quality q;
  return hed_match_compare(&table, &table, 1, &q, NULL);
}

static hed_status simulate(void) {
  hed_simulate_options opt = {.shape = HED_SHAPE(9, 9, 9), .copies = 1, .snr = 1};
  hed_array *v;
  hed_table t;
  hed_status status = hed_simulate(&opt, tmpl, &v, &t);
  if (status != HED_OK && (v || t.n || t.row))
    fail("a volume came out of a failure");
  if (status == HED_OK) {
    hed_release(v);
    hed_table_clear(&t);
  }
  return status;
}

/* ---- filters, tilts, lists of rotations, files of other programs ---- */

static hed_status some_map(hed_status status, hed_map *m) {
  if (status != HED_OK && m->data)
    fail("a map came out of a failure");
  hed_map_clear(m);
  return status;
}

static hed_status map_read_as(void) {
  hed_map m;
  const hed_status status = hed_map_read_as(kit_path("in.mrc"), &(hed_map_reading){.nan_mean = true}, &m);
  return some_map(status, &m);
}

static hed_status map_resample(void) {
  const hed_map from = {.data = volume, .voxel = {1, 1, 1}};
  hed_map m;
  const hed_status status = hed_map_resample(&from, 2, &m);
  return some_map(status, &m);
}

static hed_status tomograms_read(void) {
  hed_tomograms t;
  const hed_status status = hed_tomograms_read(kit_path("runs.tsv"), &t);
  if (status != HED_OK && t.n)
    fail("tomograms came out of a failure");
  hed_tomograms_clear(&t);
  return status;
}

static hed_status tilts_read(void) {
  hed_tilts t;
  const hed_status status = hed_tilts_read(kit_path("in.tlt"), &t);
  if (status != HED_OK && t.n)
    fail("tilts came out of a failure");
  hed_tilts_clear(&t);
  return status;
}

static hed_status some_array(hed_array *a) {
  hed_release(a);
  return a ? HED_OK : hed_error();
}

static hed_tilts tilts;

static hed_status filter_make(void) {
  const hed_match_filter f = {.low_pass = 4, .high_pass = 40, .wedge = HED_WEDGE_TILTS, .tilts = &tilts};
  return some_array(hed_match_filter_make(&f, HED_SHAPE(12, 10, 8)));
}

static hed_status whitening(void) {
  hed_array *known = hed_match_known(volume, 1);
  hed_array *profile = known ? hed_match_whitening_known(volume, known, 8, NULL) : NULL;
  hed_release(known);
  return known ? some_array(profile) : hed_error();
}

static hed_array *padded; /* the volume, 0 from z = 3 on */

static hed_status filtered(void) {
  hed_array *known = hed_match_known(padded, 1), *profile = known ? hed_match_whitening(volume, 8, NULL) : NULL;
  const hed_match_filter f = {.profile = profile};
  hed_match_result r = {.n_rotations = 0};
  const hed_status status = profile ? hed_match_run(&(hed_match_options){.target_filter = &f, .score = "MCC"}, padded, tmpl, NULL, 2,
                                                    upright, &r) : hed_error();
  if (status == HED_OK && r.n_void == 0)
    fail("no padding was found");
  hed_match_result_clear(&r);
  RELEASE(known, profile);
  return status;
}

static hed_status background(void) {
  return some_array(hed_match_background(tmpl, 1));
}

static hed_status staged(void) {
  const hed_match_filter f = {.low_pass = 4};
  const hed_match_options o = {.template_filter = &f, .target_filter = &f};
  const hed_staged_options how = {.bin = 2, .coarse = upright, .n_coarse = 1, .candidates = 2, .evaluations = 1,
                                  .min_score = -1, .use_min_score = true};
  hed_table t;
  hed_match_stages s;
  const hed_status status = hed_match_staged(&o, &how, volume, tmpl, NULL, 1, upright, &t, &s);
  if (status != HED_OK && (t.n || t.row || s.coarse.scores))
    fail("something came out of a failure");
  hed_table_clear(&t);
  hed_match_stages_clear(&s);
  return status;
}

static hed_status mask_make(void) {
  const hed_mask_options o = {.kind = HED_MASK_TUBE, .soft = 1};
  return some_array(hed_mask_make(&o, HED_SHAPE(4, 5, 6)));
}

static hed_status mask_threshold(void) {
  return some_array(hed_mask_threshold(tmpl, 30, 1, 1));
}

static hed_status refine(void) {
  const hed_match_filter f = {.low_pass = 4};
  const hed_refine_options o = {.evaluations = 1, .template_filter = &f, .target_filter = &f};
  hed_table_row row = {.id = 1, .position = {4, 4, 4}};
  hed_table t;
  const hed_status status = hed_match_refine(&o, volume, tmpl, NULL, &(hed_table){.n = 1, .row = &row}, &t, NULL);
  if (status != HED_OK && (t.n || t.row))
    fail("a table came out of a failure");
  hed_table_clear(&t);
  return status;
}

static hed_status workers_check(void) {
  return hed_match_workers_check("reference*2,reference;threads=1");
}

static hed_status some_rotations(hed_status status, double *m, size_t n) {
  if (status != HED_OK && (m || n))
    fail("rotations came out of a failure");
  free(m);
  return status;
}

static hed_status healpix(void) {
  double *m;
  size_t n;
  const hed_status status = hed_rotations_healpix(60, NULL, &m, &n);
  return some_rotations(status, m, n);
}

static hed_status cone(void) {
  double *m;
  size_t n;
  const hed_status status = hed_rotations_cone((const double[]){0, 0, 1}, 40, 30, 90, &m, &n);
  return some_rotations(status, m, n);
}

static hed_status around(void) {
  double *m;
  size_t n;
  const hed_status status = hed_rotations_around(upright, 60, 60, &m, &n);
  return some_rotations(status, m, n);
}

static hed_status read_rotations(const char *name) {
  double *m;
  size_t n;
  const hed_status status = hed_rotations_read(kit_path(name), HED_EULER_ZXZ, &m, &n);
  return some_rotations(status, m, n);
}

static hed_status read_angles(void) {
  return read_rotations("angles.txt");
}

static hed_status read_star(void) {
  return read_rotations("angles.star");
}

static hed_status read_npy(void) {
  return read_rotations("angles.npy");
}

static hed_status reduce(void) {
  double m[18];
  size_t n = 2;
  memcpy(m, upright, sizeof m);
  return hed_rotations_reduce("D2", 60, m, &n);
}

static hed_status star_write(void) {
  hed_table t = table;
  t.blocks = "data_optics\nloop_\n_rlnOpticsGroup\n1\n";
  return hed_table_write_as(kit_path("out.star"), &t, HED_TABLE_RELION, NULL);
}

static hed_status tbl_write(void) {
  return hed_table_write_as(kit_path("out.tbl"), &table, HED_TABLE_DYNAMO, NULL);
}

static hed_status star_read(void) {
  hed_table t;
  const hed_status status = hed_table_read_as(kit_path("in.star"), HED_TABLE_RELION, NULL, &t);
  if (status != HED_OK && (t.n || t.row))
    fail("a table came out of a failure");
  hed_table_clear(&t);
  return status;
}

static char share_path[2][512];

static hed_status corrected(void) {
  hed_match_options opt = {.threshold = -1, .correct_background = true};
  hed_match_result r;
  const hed_status status = hed_match_run(&opt, volume, tmpl, NULL, 2, upright, &r);
  if (status != HED_OK && (r.scores || r.rotations || r.worker))
    fail("a result came out of a failure");
  hed_match_result_clear(&r);
  return status;
}

static hed_status search_share(size_t share) {
  hed_match_options opt = {.score = "CORR", .threshold = -1, .checkpoint = share_path[share], .share = share, .shares = 2};
  hed_match_result r;
  const hed_status status = hed_match_run(&opt, volume, tmpl, NULL, 2, upright, &r);
  hed_match_result_clear(&r);
  return status;
}

static hed_status merge(void) {
  hed_match_result r;
  const hed_status status = hed_match_merge(2, (const char *const[]){share_path[0], share_path[1]}, &r);
  if (status != HED_OK && (r.scores || r.rotations))
    fail("a result came out of a failure");
  hed_match_result_clear(&r);
  return status;
}

static hed_status merge_partial(void) {
  hed_match_result r;
  size_t missing;
  const hed_status status = hed_match_merge_partial(1, (const char *const[]){share_path[1]}, &r, &missing);
  if (status != HED_OK && (r.scores || r.rotations))
    fail("a result came out of a failure");
  hed_match_result_clear(&r);
  return status;
}

static hed_status fsc(void) {
  double *v = NULL;
  size_t n = 0;
  const hed_status status = hed_map_fsc(volume, volume, &v, &n);
  if (status != HED_OK && (v || n))
    fail("a curve came out of a failure");
  free(v);
  return status;
}

static hed_status batch(void) {
  const hed_array *const two[] = {tmpl, tmpl};
  hed_match_result r[2];
  hed_array *scores = NULL, *templates = NULL;
  hed_status status = hed_match_run_batch(&(hed_match_options){.threshold = -1}, volume, 2, two, NULL, 2, upright, r);
  if (status == HED_OK)
    status = hed_match_best(2, r, &scores, NULL, &templates);
  if (status != HED_OK && (scores || templates))
    fail("a map came out of a failure");
  RELEASE(scores, templates);
  for (int i = 0; i < 2; i++)
    hed_match_result_clear(&r[i]);
  return status;
}

static hed_status seeded(void) {
  hed_table_row row = {.id = 1, .position = {5, 5, 5}};
  const hed_table one = {.n = 1, .row = &row};
  const hed_match_seeds seeds = {.table = &one, .radius = {2}};
  hed_match_result r;
  const hed_status status = hed_match_run(&(hed_match_options){.seeds = &seeds, .region = {{2, 8}, {2, 8}, {2, 8}}}, volume,
                                          tmpl, NULL, 2, upright, &r);
  hed_match_result_clear(&r);
  return status;
}

static hed_status checkpoint_read(void) {
  hed_match_checkpoint c;
  return hed_match_checkpoint_read(share_path[0], &c);
}

/* ---- ultrasound: what the kit allocates itself ---- */

static hed_status made(hed_array *x) {
  hed_release(x);
  return x ? HED_OK : hed_error();
}

static hed_status us_generalized(void) {
  return made(hed_us_generalized_coherence_factor(tmpl, NULL));
}

static hed_status us_gcnr(void) {
  return made(hed_us_gcnr(tmpl, tmpl, &(hed_us_region){.batch = HED_AXES(0), .bins = 4}));
}

static hed_status us_tenengrad(void) {
  return made(hed_us_tenengrad(tmpl, NULL));
}

static hed_status us_fwhm(void) {
  double width[3];
  return hed_us_fwhm(volume, NULL, width);
}

int main(void) {
  double numbers[512];
  char atom[128];
  hed_table_row row = {.id = 1};
  for (int i = 0; i < 512; i++)
    numbers[i] = i % 97;
  kit_folder();
  volume = hed_from_host(numbers, HED_SHAPE(8, 8, 8), HED_FLOAT64);
  double some[512] = {0};
  memcpy(some, numbers, 192 * sizeof *some);
  padded = hed_from_host(some, HED_SHAPE(8, 8, 8), HED_FLOAT64);
  hed_map map = {.data = volume};
  table = (hed_table){.n = 1, .row = &row};
  int n = snprintf(atom, sizeof atom, "%s",
                   "ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277\n");
  kit_write(kit_path("in.pdb"), atom, (size_t)n);
  n = snprintf(atom, sizeof atom, "%s", "data_x _atom_site.Cartn_x 1 _atom_site.Cartn_y 2 "
               "_atom_site.Cartn_z 3 _atom_site.type_symbol C");
  kit_write(kit_path("in.cif"), atom, (size_t)n);
  tmpl = hed_from_host(numbers, HED_SHAPE(4, 4, 4), HED_FLOAT64);
  best = hed_from_host(numbers, HED_SHAPE(4, 4, 4), HED_FLOAT64);
  which = hed_zeros(HED_SHAPE(4, 4, 4), HED_INT32);
  if (!volume || !tmpl || !best || !which || hed_map_write(kit_path("in.mrc"), &map, 12) != HED_OK ||
      hed_table_write(kit_path("in.tsv"), &table, NULL) != HED_OK ||
      hed_model_read(kit_path("in.pdb"), &model) != HED_OK ||
      hed_table_write_as(kit_path("in.star"), &table, HED_TABLE_RELION, NULL) != HED_OK)
    bail("%s", hed_error_text());
  kit_write(kit_path("in.tlt"), "-60\n0\n60\n", 10);
  kit_write(kit_path("runs.tsv"), "target\nin.mrc\nb.mrc\n", 20);
  if (hed_tilts_read(kit_path("in.tlt"), &tilts) != HED_OK)
    bail("%s", hed_error_text());
  kit_write(kit_path("angles.txt"), "10 20 30\n40 50 60\n", 18);
  static const char star[] = "data_\nloop_\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n10 20 30\n";
  kit_write(kit_path("angles.star"), star, sizeof star - 1);
  hed_array *matrices = hed_from_host(upright, HED_SHAPE(2, 3, 3), HED_FLOAT64);
  if (!matrices || hed_save_npy(kit_path("angles.npy"), matrices) != HED_OK)
    bail("%s", hed_error_text());
  hed_release(matrices);
  for (size_t k = 0; k < 2; k++) {
    snprintf(share_path[k], sizeof share_path[k], "%s", kit_path(k ? "share1" : "share0"));
    if (search_share(k) != HED_OK)
      bail("%s", hed_error_text());
  }
  int files = kit_count();
  every_allocation("hed_map_read", map_read, NULL);
  every_allocation("hed_map_write", map_write, kit_path("out.mrc"));
  every_allocation("hed_model_read, PDB", pdb_read, NULL);
  every_allocation("hed_model_read, mmCIF", cif_read, NULL);
  every_allocation("hed_model_to_map", density, NULL);
  every_allocation("hed_table_read", table_read, NULL);
  every_allocation("hed_table_write", table_write, kit_path("out.tsv"));
  every_allocation("hed_rotations_sample", rotations, NULL);
  every_allocation("hed_model_parse", model_parse, NULL);
  every_allocation("hed_model_example", model_example, NULL);
  every_allocation("hed_match_run, in the caller's context", match_here, NULL);
  every_allocation("hed_match_run, by a worker", match_worker, NULL);
  every_allocation("hed_match_memory", match_memory, NULL);
  every_allocation("hed_match_sphere", match_sphere, NULL);
  every_allocation("hed_match_peaks", match_peaks, NULL);
  every_allocation("hed_match_table", match_table, NULL);
  every_allocation("hed_match_compare", match_compare, NULL);
  every_allocation("hed_simulate", simulate, NULL);
  every_allocation("hed_map_read_as", map_read_as, NULL);
  every_allocation("hed_map_resample", map_resample, NULL);
  every_allocation("hed_tilts_read", tilts_read, NULL);
  every_allocation("hed_tomograms_read", tomograms_read, NULL);
  every_allocation("hed_match_filter_make", filter_make, NULL);
  every_allocation("hed_match_whitening_known", whitening, NULL);
  every_allocation("hed_match_run, with padding, whitened", filtered, NULL);
  every_allocation("hed_match_background", background, NULL);
  every_allocation("hed_match_run, less the background", corrected, NULL);
  every_allocation("hed_match_refine", refine, NULL);
  every_allocation("hed_match_staged", staged, NULL);
  every_allocation("hed_mask_make", mask_make, NULL);
  every_allocation("hed_mask_threshold", mask_threshold, NULL);
  every_allocation("hed_match_workers_check", workers_check, NULL);
  every_allocation("hed_rotations_healpix", healpix, NULL);
  every_allocation("hed_rotations_cone", cone, NULL);
  every_allocation("hed_rotations_around", around, NULL);
  every_allocation("hed_rotations_read, angles", read_angles, NULL);
  every_allocation("hed_rotations_read, STAR", read_star, NULL);
  every_allocation("hed_rotations_read, matrices", read_npy, NULL);
  every_allocation("hed_rotations_reduce", reduce, NULL);
  every_allocation("hed_table_write_as", star_write, kit_path("out.star"));
  every_allocation("hed_table_write_as", tbl_write, kit_path("out.tbl"));
  every_allocation("hed_table_read_as", star_read, NULL);
  every_allocation("hed_match_merge", merge, NULL);
  every_allocation("hed_match_merge_partial", merge_partial, NULL);
  every_allocation("hed_map_fsc", fsc, NULL);
  every_allocation("hed_match_run_batch, hed_match_best", batch, NULL);
  every_allocation("hed_match_run, with seeds and a region", seeded, NULL);
  every_allocation("hed_match_checkpoint_read", checkpoint_read, NULL);
  every_allocation("hed_us_generalized_coherence_factor", us_generalized, NULL);
  every_allocation("hed_us_gcnr", us_gcnr, NULL);
  every_allocation("hed_us_tenengrad", us_tenengrad, NULL);
  every_allocation("hed_us_fwhm", us_fwhm, NULL);
  is_int(kit_count(), files, "no file is left over");
  RELEASE(volume, padded, tmpl, best, which);
  hed_model_clear(&model);
  hed_tilts_clear(&tilts);
  return done();
}
