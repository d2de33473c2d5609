// SPDX-License-Identifier: BSD-3-Clause
/* `heddle template`: from a model or a map a template for `heddle match`, and its mask.
 *
 * Layer: L5.
 */
#include "tools/tool.h"
#include <heddle/kits/mask.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *in, *out, *mask_path;
  double voxel, resolution, low_pass, radius, soft, level, dilate;
  long long box;
  int kind; /* hed_mask_kind, or MASK_THRESHOLD */
  bool level_given, center, invert, mirror, force;
} request;

enum { MASK_THRESHOLD = HED_MASK_MEMBRANE + 1 };
enum { KEY_VOXEL = 256, KEY_RESOLUTION, KEY_LOW, KEY_BOX, KEY_CENTER, KEY_INVERT, KEY_MIRROR, KEY_MASK, KEY_RADIUS, KEY_SOFT,
       KEY_KIND, KEY_LEVEL, KEY_DILATE, KEY_FORCE };

static const struct argp_option options[] = {
  { "output", 'o', "FILE", 0, "The template, an MRC map", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Its voxel size in angstrom (a map's own)", 0 },
  { "resolution", KEY_RESOLUTION, "A", 0, "Resolution of a model's density (4 voxels)", 0 },
  { "low-pass", KEY_LOW, "A", 0, "Half of what has a period of A angstrom passes", 0 },
  { "box", KEY_BOX, "N", 0, "Cut or fill up to N voxels a side", 0 },
  { "center", KEY_CENTER, NULL, 0, "Bring the centre of mass of positive values to the middle", 0 },
  { "invert", KEY_INVERT, NULL, 0, "The other contrast", 0 },
  { "mirror", KEY_MIRROR, NULL, 0, "The other hand", 0 },
  { "mask", KEY_MASK, "FILE", 0, "Write a mask, too", 0 },
  { "mask-kind", KEY_KIND, "KIND", 0, "sphere, ellipsoid, box, tube, membrane, or threshold (sphere)", 0 },
  { "mask-radius", KEY_RADIUS, "A", 0, "Its radius in angstrom (half the box)", 0 },
  { "mask-threshold", KEY_LEVEL, "LEVEL", 0, "Of a threshold: what the template has to reach", 0 },
  { "mask-dilate", KEY_DILATE, "A", 0, "Of a threshold: so far round that (0)", 0 },
  { "soft", KEY_SOFT, "A", 0, "Deviation of the Gaussian by which it falls off (0)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->out = arg; return 0;
  case KEY_VOXEL: r->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6); return 0;
  case KEY_RESOLUTION: r->resolution = tool_number(state, "--resolution", arg, 1e-3, 1e6); return 0;
  case KEY_LOW: r->low_pass = tool_number(state, "--low-pass", arg, 1e-3, 1e6); return 0;
  case KEY_BOX: r->box = tool_integer(state, "--box", arg, 2, 1024); return 0;
  case KEY_CENTER: r->center = true; return 0;
  case KEY_INVERT: r->invert = true; return 0;
  case KEY_MIRROR: r->mirror = true; return 0;
  case KEY_MASK: r->mask_path = arg; return 0;
  case KEY_KIND: r->kind = tool_word(state, "--mask-kind", arg, "sphere,ellipsoid,box,tube,membrane,threshold"); return 0;
  case KEY_RADIUS: r->radius = tool_number(state, "--mask-radius", arg, 1e-3, 1e6); return 0;
  case KEY_LEVEL:
    r->level = tool_number(state, "--mask-threshold", arg, -1e30, 1e30);
    r->kind = MASK_THRESHOLD;
    r->level_given = true;
    return 0;
  case KEY_DILATE: r->dilate = tool_number(state, "--mask-dilate", arg, 0, 1e6); return 0;
  case KEY_SOFT: r->soft = tool_number(state, "--soft", arg, 0, 1e6); return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argp_error(state, "unexpected argument '%s'", arg);
    r->in = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->in || !r->out)
      argp_error(state, r->in ? "-o FILE is missing" : "a model or a map is expected");
    else if (tool_is_model(r->in) && !(r->voxel > 0))
      argp_error(state, "a model needs --voxel");
    else if (!r->mask_path && (r->kind || r->radius > 0 || r->dilate > 0 || r->soft > 0))
      argp_error(state, "--mask FILE is missing, whose kind, radius or edge is given");
    else if (r->kind == MASK_THRESHOLD ? !r->level_given : r->level_given || r->dilate > 0)
      argp_error(state, "--mask-kind=threshold and --mask-threshold go together, and --mask-dilate with them");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static hed_status read_in(const request *r, hed_map *out)
{
  hed_model m = { 0 };
  hed_map given = { 0 };
  hed_status status;
  if (tool_is_model(r->in)) {
    if ((status = hed_model_read(r->in, &m)) == HED_OK)
      status = tool_model_map(&m, r->voxel, r->resolution > 0 ? r->resolution : 4 * r->voxel, out);
    hed_model_clear(&m);
    return status;
  }
  if ((status = tool_read_map(r->in, NULL, &given)) != HED_OK)
    return status;
  if (given.stack || hed_array_ndim(given.data) > 3)
    status = hed_fail(HED_E_SHAPE, "'%s' is a stack; a volume or an image is expected", r->in);
  else if (r->voxel > 0 && fabs(given.voxel[2] / r->voxel - 1) > 1e-3) {
    status = hed_map_resample(&given, r->voxel, out);
  } else {
    *out = given;
    given = (hed_map){ 0 };
  }
  hed_map_clear(&given);
  return status;
}

/* X instead of the map's array; uses X up. */
static hed_status put(hed_map *m, hed_array *x)
{
  if (!x)
    return hed_error();
  hed_release(m->data);
  m->data = x;
  return HED_OK;
}

/* Cut, or filled up with zeros, about its geometric centre. */
static hed_status box(hed_map *m, int64_t n)
{
  const hed_shape s = hed_array_shape(m->data);
  hed_shape to = s;
  hed_slice_range from_range[3], to_range[3];
  for (int i = 0; i < s.ndim; i++) {
    const int64_t cut = s.dim[i] > n ? (s.dim[i] - n) / 2 : 0, fill = s.dim[i] < n ? (n - s.dim[i]) / 2 : 0;
    const int64_t common = s.dim[i] < n ? s.dim[i] : n;
    to.dim[i] = n;
    from_range[i] = HED_RANGE(cut, cut + common, 1);
    to_range[i] = HED_RANGE(fill, fill + common, 1);
    m->origin[3 - s.ndim + i] += m->voxel[3 - s.ndim + i] * (double)(cut - fill);
  }
  hed_array *out = hed_zeros(to, HED_FLOAT32), *inner = out ? hed_slice(out, s.ndim, to_range) : NULL;
  hed_array *part = hed_slice(m->data, s.ndim, from_range);
  hed_status status = inner && part ? hed_copy_into(inner, part) : hed_error();
  hed_release(inner);
  hed_release(part);
  if (status == HED_OK)
    return put(m, out);
  hed_release(out);
  return status;
}

static hed_status centre(hed_map *m)
{
  static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, plane[4] = { 1, 0, 0, 1 };
  const hed_shape s = hed_array_shape(m->data);
  double at[3] = { 0 }, shift[3] = { 0 };
  hed_array *mass = hed_center_of_mass(m->data, 0), *wide = mass ? hed_astype(mass, HED_FLOAT64) : NULL, *out = NULL;
  hed_status status = wide ? hed_to_host(wide, at, (size_t)s.ndim * sizeof *at) : hed_error();
  hed_release(mass);
  hed_release(wide);
  for (int i = 0; i < s.ndim && status == HED_OK; i++) {
    if (!isfinite(at[i]))
      return hed_fail(HED_E_INVAL, "the template has no positive values, whose centre could be taken");
    shift[i] = (double)(s.dim[i] - 1) / 2 - at[i];
    m->origin[3 - s.ndim + i] -= m->voxel[3 - s.ndim + i] * shift[i];
  }
  const hed_rigid opt = { .translation = shift };
  if (status == HED_OK)
    status = hed_rigid_transform(m->data, NULL, s.ndim == 3 ? identity : plane, &opt, &out, NULL);
  return status == HED_OK ? put(m, out) : status;
}

static hed_status low_pass(hed_map *m, double period)
{
  const hed_shape s = hed_array_shape(m->data);
  hed_match_filter f = { .low_pass = period };
  const hed_fft back = { .s = s };
  memcpy(f.voxel, m->voxel, sizeof f.voxel);
  if (!(m->voxel[2] > 0))
    return hed_fail(HED_E_INVAL, "the voxel size is not known, which --low-pass needs; --voxel gives one");
  hed_array *made = hed_match_filter_make(&f, s), *here = made ? hed_to(made, hed_get_backend()) : NULL;
  hed_array *spectrum = here ? hed_rfftn(m->data, NULL) : NULL, *out = NULL;
  if (spectrum && hed_multiply_into(spectrum, spectrum, here) == HED_OK)
    out = hed_irfftn(spectrum, &back);
  hed_release(made);
  hed_release(here);
  hed_release(spectrum);
  return put(m, out);
}

static hed_status prepare(const request *r, hed_map *m)
{
  const hed_axes x = { .n = 1, .axis = { -1 } };
  hed_status status = read_in(r, m);
  if (status == HED_OK && r->center)
    status = centre(m);
  if (status == HED_OK && r->box)
    status = box(m, r->box);
  if (status == HED_OK && r->low_pass > 0)
    status = low_pass(m, r->low_pass);
  if (status == HED_OK && r->mirror)
    status = put(m, hed_flip(m->data, &x));
  if (status == HED_OK && r->invert)
    status = put(m, hed_negative(m->data));
  return status;
}

static hed_array *mask_of(const request *r, const hed_map *m)
{
  const double voxel = m->voxel[2] > 0 ? m->voxel[2] : 1, radius = r->radius / voxel;
  const hed_mask_options o = { .kind = r->kind, .radius = { radius, radius, radius }, .soft = r->soft / voxel };
  if (r->kind != MASK_THRESHOLD)
    return hed_mask_make(&o, hed_array_shape(m->data));
  hed_array *plain = r->invert ? hed_negative(m->data) : hed_retain(m->data);
  hed_array *out = plain ? hed_mask_threshold(plain, r->level, r->dilate / voxel, r->soft / voxel) : NULL;
  hed_release(plain);
  return out;
}

static hed_status make(const request *r, outputs *o, hed_map *m)
{
  hed_status status = prepare(r, m);
  hed_map mask = *m;
  mask.data = status == HED_OK && r->mask_path ? mask_of(r, m) : NULL;
  if (status == HED_OK && r->mask_path && !mask.data)
    status = hed_error();
  if (status == HED_OK)
    status = outputs_open(o);
  snprintf(m->label, sizeof m->label, "heddle %s template", hed_version());
  snprintf(mask.label, sizeof mask.label, "heddle %s template: mask", hed_version());
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, 0), m, 2);
  if (status == HED_OK && r->mask_path)
    status = hed_map_write(outputs_name(o, 1), &mask, 2);
  hed_release(mask.data);
  return status;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "MODEL|MAP",
    .doc = "Make a template, and a mask, for `heddle match'.\v"
           "In this order: the density of a model, or a map brought to the voxel size; centred; boxed; low-passed; mirrored; inverted."
  };
  request r = { 0 };
  outputs o = { 0 };
  hed_map m = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  o.force = r.force;
  code = outputs_prefix(&o, r.out);
  if (code == 0 && r.mask_path)
    code = outputs_prefix(&o, r.mask_path);
  if (code == 0)
    code = outputs_add(&o, r.out, "");
  if (code == 0 && r.mask_path)
    code = outputs_add(&o, r.mask_path, "");
  if (code == 0)
    code = outputs_input(&o, r.in);
  if (code == 0 && make(&r, &o, &m) != HED_OK)
    code = tool_fail_status(hed_error());
  if (code == 0)
    code = outputs_commit(&o);
  if (code == 0) {
    const hed_shape s = hed_array_shape(m.data);
    printf("%lld voxels of %g A: %s\n", (long long)s.dim[s.ndim - 1], m.voxel[2], r.out);
    if (r.mask_path)
      printf("mask: %s\n", r.mask_path);
  }
  outputs_close(&o);
  hed_map_clear(&m);
  return code;
}

const tool_command cmd_template = { "template", "a template and its mask from a model or a map", run_command };
