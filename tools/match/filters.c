// SPDX-License-Identifier: BSD-3-Clause
/* Filters of target and template on a command line, for searches and what refines their tables.
 *
 * Layer: L5.
 */
#include "filters.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LOW = 512, KEY_HIGH, KEY_WHITEN, KEY_TILTS, KEY_INVERT_TILTS, KEY_WEIGHTING, KEY_CTF_FILE, KEY_DEFOCUS, KEY_KILOVOLT,
       KEY_CS, KEY_AMPLITUDE, KEY_CTF, KEY_FACES, KEY_VOIDS, KEY_HAND };

static const struct argp_option options[] = {
  { "low-pass", KEY_LOW, "A", 0, "Of target and template: half of what has a period of A angstrom passes", 0 },
  { "high-pass", KEY_HIGH, "A", 0, "The same for longer periods", 0 },
  { "whiten", KEY_WHITEN, "WHEN", OPTION_ARG_OPTIONAL, "Flatten the target's spectrum, and the template's likewise: auto, where "
    "the target's background is coloured (the default for FLC scores of volumes), on or off", 0 },
  { "tilts", KEY_TILTS, "LOW,HIGH|FILE", 0, "The template misses what tilts from LOW to HIGH degrees about y left out, or single "
    "ones: .tlt, .rawtlt, .mdoc, .defocus, .xml, .tomostar, RELION 5's and STOPGAP's .star", 0 },
  { "invert-tilts", KEY_INVERT_TILTS, NULL, 0, "Angles have the other sign", 0 },
  { "tilt-weighting", KEY_WEIGHTING, "KIND", 0, "Of single tilts: none, cosine, relion or grigorieff, the latter two with their "
    "dose (cosine)", 0 },
  { "ctf", KEY_CTF_FILE, "FILE", 0, "Defocus of the tilts, in the place of what --tilts says: .defocus, CTFFIND's or AreTomo's "
    "list, and others", 0 },
  { "defocus", KEY_DEFOCUS, "A", 0, "One underfocus in angstrom for all", 0 },
  { "kilovolt", KEY_KILOVOLT, "KV", 0, "Acceleration voltage (300)", 0 },
  { "cs", KEY_CS, "MM", 0, "Spherical aberration (2.7)", 0 },
  { "amplitude", KEY_AMPLITUDE, "A", 0, "Amplitude contrast (0.07)", 0 },
  { "ctf-mode", KEY_CTF, "MODE", 0, "Contrast transfer of tilts with a defocus: none, raw or flip (flip)", 0 },
  { "hand", KEY_HAND, "1|-1", 0, "Of the defocus, where it differs from place to place: it grows, or shrinks, with z (what the tilts' "
    "files say, 1)", 0 },
  { "faces", KEY_FACES, "HOW", 0, "How the target goes on beyond its faces where it is filtered: continue, quick (less exact), or "
    "wrap (it is periodic) (continue)", 0 },
  { "voids", KEY_VOIDS, "HOW", 0, "Padding in a target that is filtered, where all voxels have one value: find, and leave it out, or "
    "keep (find)", 0 },
  { 0 }
};

static bool is_range(const char *text)
{
  return text[strspn(text, "+-.,0123456789eE ")] == '\0';
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  filters *f = state->input;
  switch (key) {
  case KEY_CTF_FILE: f->ctf_path = arg; return 0;
  case KEY_DEFOCUS: f->defocus = tool_number(state, "--defocus", arg, -1e6, 1e6); return 0;
  case KEY_KILOVOLT: f->kilovolt = tool_number(state, "--kilovolt", arg, 1, 1e4); return 0;
  case KEY_CS: f->cs_mm = tool_number(state, "--cs", arg, 1e-3, 100); return 0;
  case KEY_AMPLITUDE: f->amplitude = tool_number(state, "--amplitude", arg, 0, 0.999); return 0;
  case KEY_INVERT_TILTS: f->invert_tilts = true; return 0;
  case KEY_LOW: f->low_pass = tool_number(state, "--low-pass", arg, 1e-3, 1e6); return 0;
  case KEY_HIGH: f->high_pass = tool_number(state, "--high-pass", arg, 1e-3, 1e6); return 0;
  case KEY_WHITEN: f->whiten = arg ? (whiten_when)tool_word(state, "--whiten", arg, "auto,on,off") : WHITEN_ON; return 0;
  case KEY_TILTS:
    if (!is_range(arg)) {
      f->tilts_path = arg;
      return 0;
    }
    tool_tilts(state, arg, &f->tilt_low, &f->tilt_high);
    f->tilts_given = true;
    return 0;
  case KEY_WEIGHTING: f->weighting = tool_word(state, "--tilt-weighting", arg, "none,cosine,relion,grigorieff"); return 0;
  case KEY_CTF: f->ctf = tool_word(state, "--ctf-mode", arg, "none,raw,flip"); return 0;
  case KEY_HAND: f->hand = tool_word(state, "--hand", arg, "1,-1") ? -1 : 1; return 0;
  case KEY_FACES: f->faces = tool_word(state, "--faces", arg, "continue,quick,wrap"); return 0;
  case KEY_VOIDS: f->voids = tool_word(state, "--voids", arg, "find,keep"); return 0;
  case ARGP_KEY_END:
    if (f->low_pass > 0 && f->high_pass > 0 && f->low_pass >= f->high_pass)
      argp_error(state, "--low-pass %g and --high-pass %g leave nothing", f->low_pass, f->high_pass);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp filters_argp = { .options = options, .parser = parse };

const char *filters_faces(const filters *f)
{
  static const char *const names[] = { "continue", "quick", "wrap" };
  return names[f->faces];
}

/* Defocus from a second file, or one for all; constants that were given hold. */
static hed_status read_ctf(filters *f)
{
  hed_tilts more = { 0 };
  hed_tilts *t = &f->tilts;
  hed_status status = HED_OK;
  if (fabs(f->defocus) > 0 && fabs(f->defocus) < 100)
    (void)tool_fail(0, "--defocus is in angstrom, and %g is hardly any; %g micrometres are %g", f->defocus, f->defocus,
                    1e4 * f->defocus);
  if (f->ctf_path && (status = hed_tilts_read(f->ctf_path, &more)) != HED_OK)
    return status;
  if (f->ctf_path && !more.defocus_u)
    status = hed_fail(HED_E_INVAL, "'%s' has no defocus", f->ctf_path);
  else if (f->ctf_path && t->n == 0) {
    *t = more;
    more = (hed_tilts){ 0 };
  } else if (f->ctf_path && t->n != more.n)
    status = hed_fail(HED_E_INVAL, "'%s' has %zu tilts, '%s' %zu", f->tilts_path, t->n, f->ctf_path, more.n);
  else if (f->ctf_path) {
    double **const nominal[] = { &t->defocus_u, &t->defocus_v, &t->astigmatism, &t->phase_shift };
    for (size_t i = 0; i < sizeof nominal / sizeof nominal[0]; i++) {
      free(*nominal[i]);
      *nominal[i] = NULL;
    }
    status = hed_tilts_join(t, &more);
  }
  if (status == HED_OK && (f->defocus > 0 || f->defocus < 0)) {
    t->n = t->n ? t->n : 1;
    free(t->defocus_u);
    free(t->defocus_v);
    t->defocus_v = NULL;
    t->defocus_u = calloc(t->n, sizeof *t->defocus_u);
    for (size_t i = 0; t->defocus_u && i < t->n; i++)
      t->defocus_u[i] = f->defocus;
    status = t->defocus_u ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for %zu tilts", t->n);
  }
  t->kilovolt = f->kilovolt > 0 ? f->kilovolt : t->kilovolt;
  t->cs_mm = f->cs_mm > 0 ? f->cs_mm : t->cs_mm;
  t->amplitude_contrast = f->amplitude > 0 ? f->amplitude : t->amplitude_contrast;
  for (size_t i = 0; f->invert_tilts && t->angle && i < t->n; i++)
    t->angle[i] = -t->angle[i];
  hed_tilts_clear(&more);
  return status;
}

hed_status filters_read(filters *f)
{
  hed_status status = f->tilts_path ? hed_tilts_read(f->tilts_path, &f->tilts) : HED_OK;
  if (status == HED_OK)
    status = read_ctf(f);
  if (f->tilts.handedness == 0)
    f->tilts.handedness = f->handedness;
  if (f->hand)
    f->tilts.handedness = f->hand;
  return status;
}

hed_status filters_take_tilts(filters *f, const char *text)
{
  int used = 0;
  f->tilts_given = is_range(text);
  f->tilts_path = f->tilts_given ? NULL : text;
  if (!f->tilts_given)
    return HED_OK;
  if (sscanf(text, "%lf,%lf%n", &f->tilt_low, &f->tilt_high, &used) < 2 || text[used] != '\0' || !(fabs(f->tilt_low) < 90) ||
      !(fabs(f->tilt_high) < 90))
    return hed_fail(HED_E_INVAL, "tilts '%s' are not two angles LOW,HIGH between -90 and 90", text);
  if (f->tilt_low > 0 && f->tilt_high > 0)
    f->tilt_low = -f->tilt_low;
  if (f->tilt_low >= f->tilt_high)
    return hed_fail(HED_E_INVAL, "tilts from %g to %g degrees: there is none", f->tilt_low, f->tilt_high);
  return HED_OK;
}

/* A background whose spectrum falls by this much is coloured: white noise with particles in it stays below. */
static const double coloured = 3;

/* Where the target is no padding; NULL where that makes no difference, or with an error. */
static hed_status known_voxels(const filters *f, const hed_map *target, const hed_map *tmpl, const hed_map *mask, hed_array **known)
{
  int64_t least = hed_array_size(tmpl->data);
  *known = NULL;
  if (f->voids == HED_VOIDS_KEEP)
    return HED_OK;
  if (mask->data) {
    hed_array *count = hed_count_nonzero(mask->data, NULL);
    const hed_status status = count ? hed_item_int(count, &least) : hed_error();
    hed_release(count);
    if (status != HED_OK)
      return status;
  }
  *known = hed_match_known(target->data, (size_t)least);
  return *known ? HED_OK : hed_error();
}

static hed_status whiten(filters *f, const hed_map *target, const hed_map *tmpl, const hed_map *mask, bool flc)
{
  if (f->whiten == WHITEN_OFF || (f->whiten == WHITEN_AUTO && (!flc || hed_array_ndim(target->data) != 3)))
    return HED_OK;
  const hed_shape s = hed_array_shape(target->data);
  for (int i = 0; i < s.ndim; i++)
    if (s.dim[i] < 8 && f->whiten == WHITEN_AUTO)
      return HED_OK;
  hed_array *known;
  const hed_status status = known_voxels(f, target, tmpl, mask, &known);
  if (status != HED_OK)
    return status;
  f->profile = hed_match_whitening_known(target->data, known, 0, &f->colour);
  hed_release(known);
  f->whitened = f->profile && (f->whiten == WHITEN_ON || f->colour > coloured);
  return f->profile ? HED_OK : hed_error();
}

hed_status filters_make(filters *f, const hed_map *target, const char *path, const hed_map *tmpl, const hed_map *mask, bool flc)
{
  hed_status status = whiten(f, target, tmpl, mask, flc);
  hed_match_filter both = { .low_pass = f->low_pass, .high_pass = f->high_pass, .profile = f->whitened ? f->profile : NULL };
  memcpy(both.voxel, target->voxel, sizeof both.voxel);
  if (status == HED_OK && (f->low_pass > 0 || f->high_pass > 0) && !(both.voxel[1] > 0))
    return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which a filter in angstrom needs; --voxel gives one",
                    path);
  f->template_filter = f->target_filter = both;
  f->filters_target = both.profile || f->low_pass > 0 || f->high_pass > 0;
  if (f->tilts_given) {
    f->template_filter.wedge = HED_WEDGE_CONTINUOUS;
    f->template_filter.tilt_low = f->tilt_low;
    f->template_filter.tilt_high = f->tilt_high;
  }
  if (f->invert_tilts && f->tilts_given) {
    f->template_filter.tilt_low = -f->tilt_high;
    f->template_filter.tilt_high = -f->tilt_low;
  }
  if (f->tilts.n) {
    f->template_filter.wedge = f->tilts_path ? HED_WEDGE_TILTS : f->template_filter.wedge;
    f->template_filter.tilts = &f->tilts;
    f->template_filter.weighting = f->weighting;
    f->template_filter.ctf = f->tilts.defocus_u ? f->ctf : HED_CTF_NONE;
    if (!(both.voxel[1] > 0))
      return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which tilts and defocus need; --voxel gives one",
                      path);
  }
  f->filters_template = f->filters_target || f->tilts_given || f->tilts.n;
  return status;
}

hed_status filters_no_defocus(const char *option, const filters *f)
{
  if (!f->tilts_path)
    return hed_fail(HED_E_INVAL, "%s needs single tilts with a defocus: --tilts=FILE, and --ctf or --defocus", option);
  if (f->ctf == HED_CTF_NONE)
    return hed_fail(HED_E_INVAL, "%s with --ctf-mode=none, which leaves no contrast transfer", option);
  return hed_fail(HED_E_INVAL, "%s needs a defocus, which '%s' does not say: --ctf or --defocus", option, f->tilts_path);
}

void filters_clear(filters *f)
{
  hed_release(f->profile);
  hed_tilts_clear(&f->tilts);
  f->profile = NULL;
}
