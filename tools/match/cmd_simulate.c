// SPDX-License-Identifier: BSD-3-Clause
/* `heddle simulate`: a noisy tomogram with particles at known poses.
 *
 * Layer: L5. Writes tomogram.mrc, template.mrc, mask.mrc and truth.tsv into a folder.
 */
#include "tools/emit.h"
#include "tools/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *folder, *model;
  long long copies, shape, seed;
  double voxel, resolution, snr, noise_sigma, tilt_low, tilt_high;
  bool dark, json, force, voxel_given;
} request;

enum { KEY_MODEL = 256, KEY_COPIES, KEY_SHAPE, KEY_VOXEL, KEY_RESOLUTION, KEY_SNR, KEY_SIGMA, KEY_DARK,
       KEY_TILTS, KEY_SEED, KEY_JSON, KEY_FORCE };

static const struct argp_option options[] = {
  { "output", 'o', "DIR", 0, "Folder for the files, made when it is missing", 0 },
  { "model", KEY_MODEL, "FILE", 0, "Molecule: .pdb or .cif model, or an MRC map; default: an invented one", 0 },
  { "copies", KEY_COPIES, "K", 0, "Number of particles (6)", 0 },
  { "shape", KEY_SHAPE, "N", 0, "Edge of the volume in voxels (96)", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Edge of a voxel in angstrom (5, or the map's)", 0 },
  { "resolution", KEY_RESOLUTION, "A", 0, "Resolution of the model's density in angstrom (4 voxels)", 0 },
  { "snr", KEY_SNR, "X", 0, "Variance of the particle inside its sphere over variance of the noise (0.2); 0: no noise", 0 },
  { "noise-sigma", KEY_SIGMA, "V", 0, "Colour the noise by a Gaussian of V voxels (0: white)", 0 },
  { "dark", KEY_DARK, NULL, 0, "Particles are darker than what surrounds them", 0 },
  { "tilts", KEY_TILTS, "LOW,HIGH", 0, "Leave what tilts from LOW to HIGH degrees about y sample (all)", 0 },
  { "seed", KEY_SEED, "N", 0, "Same seed, same files (1)", 0 },
  { "json", KEY_JSON, NULL, 0, "Summary as JSON (heddle.simulate/1)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->folder = arg; return 0;
  case KEY_MODEL: r->model = arg; return 0;
  case KEY_COPIES: r->copies = tool_integer(state, "--copies", arg, 1, 100000); return 0;
  case KEY_SHAPE: r->shape = tool_integer(state, "--shape", arg, 4, 4096); return 0;
  case KEY_VOXEL:
    r->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6);
    r->voxel_given = true;
    return 0;
  case KEY_RESOLUTION: r->resolution = tool_number(state, "--resolution", arg, 1e-3, 1e6); return 0;
  case KEY_SNR: r->snr = tool_number(state, "--snr", arg, 0, 1e9); return 0;
  case KEY_SIGMA: r->noise_sigma = tool_number(state, "--noise-sigma", arg, 0, 100); return 0;
  case KEY_DARK: r->dark = true; return 0;
  case KEY_TILTS: tool_tilts(state, arg, &r->tilt_low, &r->tilt_high); return 0;
  case KEY_SEED: r->seed = tool_integer(state, "--seed", arg, 0, 1LL << 60); return 0;
  case KEY_JSON: r->json = true; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return 0;
  case ARGP_KEY_END:
    if (!r->folder)
      argp_error(state, "-o DIR is missing");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* The template: a map as it is, or the density of a model. */
static hed_status template_of(request *r, hed_map *out)
{
  hed_model m = { 0 };
  hed_status status;
  if (r->model && !tool_is_model(r->model)) {
    if ((status = tool_read_map(r->model, NULL, out)) != HED_OK)
      return status;
    for (int i = 0; i < 3; i++) {
      if (r->voxel_given)
        out->voxel[i] = r->voxel;
      out->origin[i] = 0;
    }
    return HED_OK;
  }
  status = r->model ? hed_model_read(r->model, &m) : hed_model_example(&m);
  if (status == HED_OK)
    status = tool_model_map(&m, r->voxel, r->resolution > 0 ? r->resolution : 4 * r->voxel, out);
  hed_model_clear(&m);
  return status;
}

static hed_status write_all(outputs *o, const request *r, const hed_map *tmpl, hed_array *volume,
                            const hed_table *truth)
{
  hed_map tomogram = *tmpl, box = *tmpl, mask = *tmpl;
  char comment[200];
  tomogram.data = volume;
  mask.data = hed_match_sphere(hed_array_shape(tmpl->data), 0);
  for (int i = 0; i < 3; i++)
    tomogram.origin[i] = box.origin[i] = mask.origin[i] = 0;
  snprintf(tomogram.label, sizeof tomogram.label, "heddle %s simulate: %zu copies, snr %g, seed %lld", hed_version(),
           truth->n, r->snr, r->seed);
  snprintf(box.label, sizeof box.label, "heddle %s simulate: template", hed_version());
  snprintf(mask.label, sizeof mask.label, "heddle %s simulate: mask", hed_version());
  snprintf(comment, sizeof comment, "heddle %s simulate: %zu copies, snr %g, seed %lld", hed_version(), truth->n,
           r->snr, r->seed);
  hed_status status = mask.data ? outputs_open(o) : hed_error();
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, 0), &tomogram, 2);
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, 1), &box, 2);
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, 2), &mask, 2);
  if (status == HED_OK)
    status = hed_table_write(outputs_name(o, 3), truth, comment);
  hed_release(mask.data);
  return status;
}

static int report(const request *r, const outputs *o, const hed_map *tmpl, const hed_table *truth)
{
  const hed_shape t = hed_array_shape(tmpl->data);
  if (!r->json) {
    printf("%zu particles of %lld voxels in %lld voxels of %g A, snr %g, seed %lld\n", truth->n,
           (long long)t.dim[t.ndim - 1], r->shape, tmpl->voxel[t.ndim == 3 ? 0 : 1], r->snr, r->seed);
    for (int i = 0; i < o->n; i++)
      printf("  %s\n", o->final[i]);
    return 0;
  }
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.simulate/1");
  emit_string(&e, "version", hed_version());
  emit_int(&e, "copies", (int64_t)truth->n);
  emit_int(&e, "shape", r->shape);
  emit_array(&e, "template_shape");
  for (int i = 0; i < t.ndim; i++)
    emit_int(&e, NULL, t.dim[i]);
  emit_array_end(&e);
  emit_number(&e, "voxel", tmpl->voxel[1]);
  emit_number(&e, "snr", r->snr);
  emit_int(&e, "seed", r->seed);
  emit_object(&e, "files");
  static const char *const names[] = { "tomogram", "template", "mask", "truth" };
  for (int i = 0; i < o->n; i++)
    emit_string(&e, names[i], o->final[i]);
  emit_object_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static int simulate(request *r, outputs *o)
{
  hed_map tmpl = { 0 };
  hed_array *volume = NULL;
  hed_table truth = { 0 };
  hed_simulate_options opt = { .copies = (size_t)r->copies, .snr = r->snr, .seed = (uint64_t)r->seed,
                               .noise_sigma = r->noise_sigma, .invert = r->dark, .tilt_low = r->tilt_low,
                               .tilt_high = r->tilt_high };

  hed_status status = template_of(r, &tmpl);
  if (status == HED_OK) {
    opt.shape.ndim = hed_array_ndim(tmpl.data);
    for (int i = 0; i < opt.shape.ndim && i < 3; i++)
      opt.shape.dim[i] = r->shape;
    memcpy(opt.voxel, tmpl.voxel, sizeof opt.voxel);
    status = hed_simulate(&opt, tmpl.data, &volume, &truth);
  }
  if (status == HED_OK && !__atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
    status = write_all(o, r, &tmpl, volume, &truth);
  int code = status != HED_OK ? tool_fail_status(status) : 0;
  if (code == 0 && __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
    code = tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  if (code == 0)
    code = outputs_commit(o);
  if (code == 0)
    code = report(r, o, &tmpl, &truth);
  hed_map_clear(&tmpl);
  hed_release(volume);
  hed_table_clear(&truth);
  return code;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse,
    .doc = "Make a noisy tomogram with copies of a molecule at random positions and orientations.\v"
           "Writes DIR/tomogram.mrc, template.mrc, mask.mrc and truth.tsv (positions are those of the template's "
           "centre voxel). What exists is not replaced without --force."
  };
  static const char *const names[] = { "/tomogram.mrc", "/template.mrc", "/mask.mrc", "/truth.tsv" };
  request r = { .copies = 6, .shape = 96, .seed = 1, .voxel = 5, .snr = 0.2 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);

  if (code)
    return code;
  tool_catch_signals();
  o.force = r.force;
  char prefix[4096];
  if (snprintf(prefix, sizeof prefix, "%s/.", r.folder) >= (int)sizeof prefix)
    return tool_fail(STATUS_INPUT, "'%.40s...' is too long", r.folder);
  code = outputs_prefix(&o, prefix);
  for (size_t i = 0; code == 0 && i < sizeof names / sizeof names[0]; i++)
    code = outputs_add(&o, r.folder, names[i]);
  if (code == 0)
    code = outputs_input(&o, r.model);
  if (code == 0)
    code = simulate(&r, &o);
  outputs_close(&o);
  return code;
}

const tool_command cmd_simulate = { "simulate", "a tomogram with particles at known positions", run_command };
