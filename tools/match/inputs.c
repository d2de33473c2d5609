// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle match` reads.
 *
 * Layer: L5.
 */
#include "job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static hed_status read_template(const match_job *j, const char *path, hed_map *out)
{
  const hed_map_reading reading = { .nan_mean = j->nan_mean, .volume = j->volume };
  hed_model m = { 0 };
  if (!tool_is_model(path))
    return tool_read_map(path, &reading, out);
  double voxel = j->target.voxel[1];
  if (!(voxel > 0))
    return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which a model needs; --voxel gives one",
                    j->target_path);
  hed_status status = hed_model_read(path, &m);
  if (status == HED_OK)
    status = tool_model_map(&m, voxel, j->resolution > 0 ? j->resolution : 4 * voxel, out);
  hed_model_clear(&m);
  return status;
}

/* MAP at the target's voxel size. */
static hed_status resample(const match_job *j, hed_map *map)
{
  hed_map out;
  hed_status status = hed_map_resample(map, j->target.voxel[2], &out);
  if (status != HED_OK)
    return status;
  hed_map_clear(map);
  *map = out;
  return HED_OK;
}

/* The mask of a template that was resampled: kept from leaving [0, its largest value]. */
static hed_status resample_mask(const match_job *j, hed_map *mask, const double voxel[3])
{
  for (int i = 0; i < 3; i++)
    mask->voxel[i] = voxel[i];
  hed_status status = resample(j, mask);
  hed_array *kept = status == HED_OK ? hed_clip(mask->data, 0, INFINITY) : NULL;
  if (!kept)
    return hed_error();
  hed_release(mask->data);
  mask->data = kept;
  return HED_OK;
}

static hed_status match_voxels(const match_job *j, const char *path, hed_map *tmpl, double before[3])
{
  memcpy(before, tmpl->voxel, sizeof tmpl->voxel);
  for (int i = 0; j->template_voxel > 0 && i < 3; i++)
    before[i] = tmpl->voxel[i] = j->template_voxel;
  for (int i = 0; i < 3; i++)
    if (tool_voxels_differ(tmpl->voxel[i], j->target.voxel[i])) {
      if (j->resample)
        return resample(j, tmpl);
      return hed_fail(HED_E_INVAL, "the voxels of '%s' have %g angstrom along %c, those of '%s' %g; --resample brings them "
                      "together, --template-voxel and --voxel say what is right where a header is wrong", path,
                      tmpl->voxel[i], "zyx"[i], j->target_path, j->target.voxel[i]);
    }
  return HED_OK;
}

/* The step that a particle's diameter needs at the resolution that is left. */
static hed_status step_of(match_job *j)
{
  const double voxel = j->target.voxel[2];
  if (!(j->diameter > 0))
    return HED_OK;
  if (!(voxel > 0))
    return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which --diameter needs; --voxel gives one", j->target_path);
  j->step = hed_rotations_step(j->diameter, fmax(j->filters.low_pass, 2 * voxel));
  return HED_OK;
}

static hed_status make_rotations(match_job *j)
{
  const int ndim = hed_array_ndim(j->target.data);
  const hed_status chosen = step_of(j);
  if (chosen != HED_OK)
    return chosen;
  if (j->rotations_path && ndim != 3)
    return hed_fail(HED_E_INVAL, "'%s' is an image; --rotations are for volumes", j->target_path);
  if (j->rotations_path) {
    const hed_status read = hed_rotations_read(j->rotations_path, j->zxz ? HED_EULER_ZXZ : HED_EULER_ZYZ, &j->matrices,
         &j->n_rotations);
    /* as fine as a list of all orientations with as many, where that is finer than what was asked */
    const double own = cbrt(55 / (double)(j->n_rotations ? j->n_rotations : 1)) * 180 / 3.14159265358979323846;
    return read == HED_OK && j->symmetry
               ? hed_rotations_reduce(j->symmetry, fmin(j->step, own), j->matrices, &j->n_rotations) : read;
  }
  const bool cone = j->cone > 0 && !j->seeds_path;
  if (ndim != 3 && (j->symmetry || j->healpix || cone))
    return hed_fail(HED_E_INVAL, "'%s' is an image; --symmetry, --sampling and --cone without seeds are for volumes", j->target_path);
  if (j->healpix)
    return hed_rotations_healpix(j->step, j->symmetry, &j->matrices, &j->n_rotations);
  const hed_status status = cone ? hed_rotations_cone(j->axis_given ? j->axis : (const double[3]){ 0, 0, 1 }, j->cone, j->step, 360,
                                                      &j->matrices, &j->n_rotations)
                                 : hed_rotations_sample(ndim, j->step, &j->matrices, &j->n_rotations);
  return status == HED_OK && j->symmetry ? hed_rotations_reduce(j->symmetry, j->step, j->matrices, &j->n_rotations) : status;
}

static hed_status read_seeds(match_job *j)
{
  char room[64];
  if (!j->seeds_path)
    return HED_OK;
  const hed_table_frame frame = tool_frame(&j->target, j->target_path, j->tomogram, room);
  const table_wanted wanted = { frame.tomogram, j->tomogram != NULL, true, j->cone > 0 };
  const hed_status status = tool_read_table(j->seeds_path, j->seeds_format, &frame, &wanted, &j->seed_table);
  if (status != HED_OK)
    return status;
  j->seeds = (hed_match_seeds){ .table = &j->seed_table, .cone = j->cone };
  memcpy(j->seeds.radius, j->radius, sizeof j->radius);
  memcpy(j->seeds.offset, j->offset, sizeof j->offset);
  return HED_OK;
}

/* Templates behind the first: brought to the same voxels, and of its shape. */
static hed_status read_others(match_job *j)
{
  const hed_shape want = hed_array_shape(j->tmpl.data);
  double before[3];
  hed_status status = HED_OK;
  if (!match_is_batch(j))
    return HED_OK;
  if (!(j->others = calloc(j->n_more, sizeof *j->others)))
    return hed_fail(HED_E_NOMEM, "no memory for %zu templates", j->n_more);
  for (size_t t = 0; t < j->n_more && status == HED_OK; t++) {
    hed_map *m = j->others + t;
    if ((status = read_template(j, j->more[t], m)) != HED_OK || (status = match_voxels(j, j->more[t], m, before)) != HED_OK)
      break;
    const hed_shape s = hed_array_shape(m->data);
    for (int i = 0; i < s.ndim && status == HED_OK; i++)
      if (s.ndim != want.ndim || s.dim[i] != want.dim[i])
        status = hed_fail(HED_E_SHAPE, "'%s' has %lld voxels along %c, '%s' %lld; templates that are searched for at once have one "
                          "shape (heddle template --box)", j->more[t], (long long)s.dim[i], "zyx"[3 - s.ndim + i], j->template_path,
                          s.ndim != want.ndim ? 0LL : (long long)want.dim[i]);
  }
  return status;
}

hed_status match_read_template(match_job *j)
{
  const hed_map_reading reading = { .nan_mean = j->nan_mean, .volume = j->volume };
  double before[3];
  hed_status status = read_template(j, j->template_path, &j->tmpl);
  if (status != HED_OK)
    return status;
  const hed_shape own = hed_array_shape(j->tmpl.data);
  if ((status = match_voxels(j, j->template_path, &j->tmpl, before)) != HED_OK || (status = read_others(j)) != HED_OK)
    return status;
  if (j->mask_path && (status = tool_read_map(j->mask_path, &reading, &j->mask)) != HED_OK)
    return status;
  const hed_shape now = hed_array_shape(j->tmpl.data);
  if (j->mask.data && memcmp(&own, &now, sizeof own) != 0 && (status = resample_mask(j, &j->mask, before)) != HED_OK)
    return status;
  if ((status = tool_mask_fits(&j->mask, j->mask_path, &j->tmpl, j->template_path)) != HED_OK)
    return status;
  return make_rotations(j);
}

hed_status match_read_inputs(match_job *j)
{
  const hed_map_reading reading = { .nan_mean = j->nan_mean, .volume = j->volume };
  hed_status status = tool_read_map(j->target_path, &reading, &j->target);
  if (status != HED_OK)
    return status;
  if (j->target.stack || hed_array_ndim(j->target.data) > 3)
    return hed_fail(HED_E_SHAPE, "'%s' is a stack; a volume or an image is expected (--volume says that it is one)", j->target_path);
  for (int i = 0; j->voxel > 0 && i < 3; i++)
    j->target.voxel[i] = j->voxel;
  if ((status = j->list ? match_list_template(j) : match_read_template(j)) != HED_OK)
    return status;
  if (j->target_mask_path && (status = tool_read_map(j->target_mask_path, &reading, &j->target_mask)) != HED_OK)
    return status;
  if ((status = tool_mask_fits(&j->target_mask, j->target_mask_path, &j->target, j->target_path)) != HED_OK)
    return status;
  if ((status = filters_read(&j->filters)) != HED_OK)
    return status;
  if (j->sub_volumes[0] && (!j->filters.tilts_path || !j->filters.tilts.defocus_u || j->filters.ctf == HED_CTF_NONE))
    return filters_no_defocus("--sub-volumes", &j->filters);
  if (j->truth_path && (status = hed_table_read(j->truth_path, &j->truth)) != HED_OK)
    return status;
  return read_seeds(j);
}

hed_status match_make_filters(match_job *j)
{
  const bool flc = !j->score || strncasecmp(j->score, "FLC", 3) == 0;
  return filters_make(&j->filters, &j->target, j->target_path, &j->tmpl, &j->mask, flc);
}
