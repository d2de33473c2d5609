// SPDX-License-Identifier: BSD-3-Clause
/* `heddle extract': boxes of a tomogram at the places of a table, and a table that knows where they are from.
 *
 * Layer: L5. Boxes are cut at whole voxels, so that nothing is interpolated: what a place is beside its voxel goes into the table as
 * a shift. Their middle is voxel N / 2.
 */
#include "search.h"
#include <errno.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum edge { EDGE_SKIP, EDGE_MEAN, EDGE_ZERO, EDGE_ERROR } edge;

typedef struct request {
  const char *target_path, *table_path, *folder, *average_path, *name;
  double voxel, table_voxel, to_voxel, binning, kilovolt, cs, amplitude;
  long long box;
  int from, edge;
  bool dynamo, stack, invert, normalize, force;
  hed_map target;
  hed_table table;
  double mean, scale;       /* of the target; its voxels along one of the result's        */
  int64_t cut;              /* voxels that are cut out, along each axis                    */
  hed_array *all, *sum;     /* of a stack, and of the average                              */
  size_t n, n_over, *over;  /* boxes that were made; rows that reach over a face           */
  hed_table_row *row;       /* of the boxes                                                */
  char **more;              /* what they keep                                              */
  bool made;                /* the folder                                                  */
  char **written;
} request;

enum { KEY_BOX = 256, KEY_VOXEL, KEY_TABLE_VOXEL, KEY_TO_VOXEL, KEY_EDGE, KEY_FORMAT, KEY_FROM, KEY_STACK, KEY_INVERT, KEY_NORMALIZE,
       KEY_AVERAGE, KEY_NAME, KEY_BINNING, KEY_KILOVOLT, KEY_CS, KEY_AMPLITUDE, KEY_FORCE };

static const struct argp_option options[] = {
  { "output", 'o', "FOLDER", 0, "Where particle_00001.mrc and so on, and their table, are written; it is made when it is missing", 0 },
  { "box", KEY_BOX, "N", 0, "Voxels a side, of what is written", 0 },
  { "format", KEY_FORMAT, "FORMAT", 0, "Of the table: relion5 (particles.star) or dynamo (crop.tbl) (relion5)", 0 },
  { "edge", KEY_EDGE, "HOW", 0, "Boxes that reach over a face of TARGET: skip them, fill up with its mean or zero, or take them for "
      "an "
    "error (skip)", 0 },
  { "to-voxel", KEY_TO_VOXEL, "A", 0, "Bring what is cut out to this voxel size", 0 },
  { "stack", KEY_STACK, NULL, 0, "One file, particles.mrc, a stack of volumes", 0 },
  { "average", KEY_AVERAGE, "FILE", 0, "Also the mean of all, each turned and shifted back as the table says; N has to be odd", 0 },
  { "invert", KEY_INVERT, NULL, 0, "The other contrast", 0 },
  { "normalize", KEY_NORMALIZE, NULL, 0, "Each box with a mean of 0 and a deviation of 1", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where TARGET's header is wrong", 0 },
  { "table-voxel", KEY_TABLE_VOXEL, "A", 0, "Size of the voxels that the table's places count, where it does not say it", 0 },
  { "from", KEY_FROM, "FORMAT", 0, "Of TABLE: tsv, star, tbl, relion5, stopgap, pytme, coords, napari or cmm (by its content)", 0 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name (that of TARGET); of a table of several its rows are taken", 0 },
  { "binning", KEY_BINNING, "B", 0, "Pixels of the tilt series along a voxel of TARGET, for RELION (1)", 0 },
  { "kilovolt", KEY_KILOVOLT, "KV", 0, "For RELION: acceleration voltage (300)", 0 },
  { "cs", KEY_CS, "MM", 0, "For RELION: spherical aberration (2.7)", 0 },
  { "amplitude", KEY_AMPLITUDE, "A", 0, "For RELION: amplitude contrast (0.07)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Write into a folder that has something in it", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->folder = arg; return 0;
  case KEY_BOX: r->box = tool_integer(state, "--box", arg, 2, 1024); return 0;
  case KEY_FORMAT: r->dynamo = tool_word(state, "--format", arg, "relion5,dynamo"); return 0;
  case KEY_EDGE: r->edge = tool_word(state, "--edge", arg, "skip,mean,zero,error"); return 0;
  case KEY_TO_VOXEL: r->to_voxel = tool_number(state, "--to-voxel", arg, 1e-3, 1e6); return 0;
  case KEY_STACK: r->stack = true; return 0;
  case KEY_AVERAGE: r->average_path = arg; return 0;
  case KEY_INVERT: r->invert = true; return 0;
  case KEY_NORMALIZE: r->normalize = true; return 0;
  case KEY_VOXEL: r->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6); return 0;
  case KEY_TABLE_VOXEL: r->table_voxel = tool_number(state, "--table-voxel", arg, 1e-3, 1e6); return 0;
  case KEY_FROM: r->from = tool_table_format(state, "--from", arg); return 0;
  case KEY_NAME: r->name = arg; return 0;
  case KEY_BINNING: r->binning = tool_number(state, "--binning", arg, 1e-3, 1e3); return 0;
  case KEY_KILOVOLT: r->kilovolt = tool_number(state, "--kilovolt", arg, 1, 1e4); return 0;
  case KEY_CS: r->cs = tool_number(state, "--cs", arg, 1e-3, 100); return 0;
  case KEY_AMPLITUDE: r->amplitude = tool_number(state, "--amplitude", arg, 0, 0.999); return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1)
      argp_error(state, "unexpected argument '%s'", arg);
    *(state->arg_num ? &r->table_path : &r->target_path) = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->table_path)
      argp_error(state, "TARGET and TABLE are expected");
    else if (!r->folder || !*r->folder || !r->box)
      argp_error(state, r->box ? "-o FOLDER is missing" : "--box N is missing");
    else if (r->average_path && r->box % 2 == 0)
      argp_error(state, "--average: a box of %lld voxels has no voxel in the middle that turns would leave there; an odd one has",
                 r->box);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* ---- places ---- */

/* Tables of Heddle have places in angstrom, too, which say what their voxels are. */
static hed_status check_angstrom(const request *r)
{
  for (size_t i = 0; i < r->table.n; i++)
    for (int a = 0; a < 3; a++) {
      const hed_table_row *w = &r->table.row[i];
      const double there = r->target.origin[a] + r->target.voxel[a] * w->position[a], off = fabs(there - w->angstrom[a]);
      if (r->target.voxel[a] > 0 && fabs(w->angstrom[a]) > 0 && off > 0.01 * fabs(there) + r->target.voxel[a])
        return hed_fail(HED_E_INVAL, "'%s' row %zu: %c is voxel %g and %g angstrom, which in '%s' is at %g; --table-voxel says how "
                        "large "
                        "the table's voxels are", r->table_path, i + 1, "zyx"[a], w->position[a], w->angstrom[a], r->target_path,
                        there);
    }
  return HED_OK;
}

static hed_status read_all(request *r)
{
  char room[64];
  hed_status status = tool_read_map(r->target_path, NULL, &r->target);
  if (status != HED_OK)
    return status;
  if (r->target.stack || hed_array_ndim(r->target.data) != 3)
    return hed_fail(HED_E_SHAPE, "'%s' is no volume", r->target_path);
  for (int a = 0; r->voxel > 0 && a < 3; a++)
    r->target.voxel[a] = r->voxel;
  if (r->to_voxel > 0 && !(r->target.voxel[2] > 0))
    return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which --to-voxel needs; --voxel gives one", r->target_path);
  hed_table_frame frame = tool_frame(&r->target, r->target_path, r->name, room);
  const table_wanted wanted = { frame.tomogram, r->name != NULL, false, false };
  if ((status = tool_read_table(r->table_path, r->from, &frame, &wanted, &r->table)) != HED_OK)
    return status;
  double said = r->table_voxel > 0 ? r->table_voxel : r->table.voxel[2];
  if (said > 0 && !(r->target.voxel[2] > 0))
    return hed_fail(HED_E_INVAL, "the voxels of '%s' have %g angstrom, and the header of '%s' says nothing; --voxel does",
                    r->table_path,
                    said, r->target_path);
  if (!(said > 0)) {
    if ((status = check_angstrom(r)) != HED_OK)
      return status;
    said = r->target.voxel[2];
  }
  for (size_t i = 0; i < r->table.n && r->target.voxel[2] > 0; i++)
    for (int a = 0; a < 3; a++)
      r->table.row[i].position[a] *= said / r->target.voxel[2];
  if (r->table.columns)
    (void)tool_fail(0, "these columns of '%s' are left out: %s", r->table_path, r->table.columns);
  hed_array *mean = hed_mean(r->target.data, NULL);
  status = mean ? hed_item(mean, &r->mean) : hed_error();
  hed_release(mean);
  r->scale = r->to_voxel > 0 ? r->to_voxel / r->target.voxel[2] : 1;
  if (r->scale < 1 - 1e-9 || r->scale > 64)
    return hed_fail(HED_E_INVAL, "--to-voxel %g: the voxels of '%s' have %g; once to 64 times that is expected", r->to_voxel,
                    r->target_path,
                    r->target.voxel[2]);
  r->cut = r->to_voxel > 0 ? 2 * (int64_t)ceil((double)r->box * r->scale / 2 + 2) + 1 : r->box;
  return status;
}

/* ---- boxes ---- */

/* The voxel in the middle of row W's box, and where that begins; whether it is inside. */
static bool middle(const request *r, const hed_table_row *w, int64_t at[3], int64_t begin[3])
{
  const hed_shape s = hed_array_shape(r->target.data);
  bool inside = true;
  for (int a = 0; a < 3; a++) {
    at[a] = (int64_t)fmin(fmax(round(w->position[a]), -1e9), 1e9);
    begin[a] = at[a] - r->cut / 2;
    inside = inside && begin[a] >= 0 && begin[a] + r->cut <= s.dim[a];
  }
  return inside;
}

static hed_array *cut(const request *r, const int64_t begin[3])
{
  const hed_shape s = hed_array_shape(r->target.data);
  const float fill = r->edge == EDGE_ZERO ? 0 : (float)r->mean, *v = hed_array_data(r->target.data);
  hed_array *out = hed_full(HED_SHAPE(r->cut, r->cut, r->cut), 0, HED_FLOAT32), *host = out ? hed_to(out, "reference") : NULL;
  float *to = host ? hed_array_data(host) : NULL;
  for (int64_t z = begin[0]; to && z < begin[0] + r->cut; z++)
    for (int64_t y = begin[1]; y < begin[1] + r->cut; y++)
      for (int64_t x = begin[2]; x < begin[2] + r->cut; x++)
        *to++ = z < 0 || y < 0 || x < 0 || z >= s.dim[0] || y >= s.dim[1] || x >= s.dim[2] ? fill
              : v[(z * s.dim[1] + y) * s.dim[2] + x];
  hed_release(out);
  return host;
}

/* N voxels of M a side round its middle voxel, which is an odd one's. */
static hed_status trim(hed_map *m, int64_t n)
{
  hed_slice_range range[3];
  const hed_shape s = hed_array_shape(m->data);
  for (int a = 0; a < 3; a++) {
    const int64_t begin = (s.dim[a] - 1) / 2 - n / 2;
    if (begin < 0 || begin + n > s.dim[a])
      return hed_fail(HED_E_INTERNAL, "%lld voxels of %lld cannot be cut out", (long long)n, (long long)s.dim[a]);
    range[a] = HED_RANGE(begin, begin + n, 1);
  }
  hed_array *view = hed_slice(m->data, 3, range), *out = view ? hed_copy(view) : NULL;
  hed_release(view);
  if (!out)
    return hed_error();
  hed_release(m->data);
  m->data = out;
  return HED_OK;
}

/* X - A, over B. */
static hed_array *standard(hed_array *x, double a, double b)
{
  hed_array *y = hed_subtract_scalar(x, a), *z = y ? hed_divide_scalar(y, b) : NULL;
  hed_release(y);
  hed_release(x);
  return z;
}

static hed_status finish(const request *r, hed_map *m)
{
  hed_map other = { 0 };
  double mean = 0, deviation = 0;
  hed_status status = HED_OK;
  if (r->to_voxel > 0) {
    if ((status = hed_map_resample(m, r->to_voxel, &other)) != HED_OK)
      return status;
    hed_map_clear(m);
    *m = other;
    status = trim(m, r->box);
  }
  if (status == HED_OK && r->normalize) {
    hed_array *a = hed_mean(m->data, NULL), *d = hed_std(m->data, NULL);
    status = a && d ? hed_item(a, &mean) : hed_error();
    if (status == HED_OK)
      status = hed_item(d, &deviation);
    hed_release(a);
    hed_release(d);
  }
  const double sign = r->invert ? -1 : 1;
  if (status == HED_OK && (r->invert || r->normalize) &&
      !(m->data = standard(m->data, mean, sign * (r->normalize && deviation > 0 ? deviation : 1))))
    status = hed_error();
  return status;
}

/* Turned and shifted back, to the sum. SHIFT: of the place from the middle voxel, in voxels of the result. */
static hed_status add_up(request *r, const hed_map *m, const hed_table_row *w, const double shift[3])
{
  const double back[3] = { -shift[0], -shift[1], -shift[2] };
  const hed_rigid opt = { .translation = back };
  double f[9], turned[9];
  hed_array *out = NULL;
  hed_rotation_from_euler(w->euler, f);
  for (int i = 0; i < 9; i++)
    turned[i] = f[i % 3 * 3 + i / 3];
  hed_status status = hed_rigid_transform(m->data, NULL, turned, &opt, &out, NULL);
  if (status == HED_OK && !r->sum) {
    r->sum = out;
    return HED_OK;
  }
  if (status == HED_OK)
    status = hed_add_into(r->sum, r->sum, out);
  hed_release(out);
  return status;
}

static hed_status keep_row(request *r, const hed_table_row *w, const int64_t at[3], const double shift[3], const char *path)
{
  const double voxel = r->target.voxel[2] > 0 ? r->target.voxel[2] : 1;
  hed_table_row *to = &r->row[r->n];
  *to = *w;
  to->tomogram = NULL;
  for (int a = 0; a < 3; a++)
    to->position[a] = (double)at[a] / (r->dynamo ? r->scale : 1);
  const int n = r->dynamo ? asprintf(&r->more[r->n], "%.9g\t%.9g\t%.9g", shift[2], shift[1], shift[0])
              : asprintf(&r->more[r->n], "%.9g\t%.9g\t%.9g%s%s", 0 - shift[2] * voxel * r->scale, 0 - shift[1] * voxel * r->scale,
                         0 - shift[0] * voxel * r->scale, r->stack ? "" : "\t", r->stack ? "" : path);
  if (n < 0) {
    r->more[r->n] = NULL;
    return hed_fail(HED_E_NOMEM, "no memory for the rows");
  }
  to->more = r->more[r->n];
  return HED_OK;
}

static hed_status one(request *r, const hed_table_row *w, const int64_t at[3], const int64_t begin[3])
{
  char *path = NULL;
  double shift[3];
  hed_map m = { .data = cut(r, begin) };
  for (int a = 0; a < 3; a++) {
    m.voxel[a] = r->target.voxel[a];
    shift[a] = (w->position[a] - (double)at[a]) / r->scale;
  }
  hed_status status = m.data ? finish(r, &m) : hed_error();
  if (status == HED_OK && r->average_path)
    status = add_up(r, &m, w, shift);
  if (status == HED_OK && asprintf(&path, "%s/particle_%05lld.mrc", r->folder, (long long)w->id) < 0) {
    path = NULL;
    status = hed_fail(HED_E_NOMEM, "no memory for a name");
  }
  if (status == HED_OK && r->stack) {
    const hed_slice_range range = HED_RANGE((int64_t)r->n, (int64_t)r->n + 1, 1);
    hed_array *place = hed_slice(r->all, 1, &range);
    status = place ? hed_copy_into(place, m.data) : hed_error();
    hed_release(place);
  } else if (status == HED_OK) {
    snprintf(m.label, sizeof m.label, "heddle %s extract: row %lld", hed_version(), (long long)w->id);
    if (!r->force && access(path, F_OK) == 0)
      status = hed_fail(HED_E_INVAL, "'%s' exists: two rows have the id %lld", path, (long long)w->id);
    else if ((status = hed_map_write(path, &m, 2)) == HED_OK)
      r->written[r->n] = path;
  }
  if (status == HED_OK)
    status = keep_row(r, w, at, shift, path);
  if (status != HED_OK || r->stack)
    free(r->written[r->n] == path ? NULL : path);
  r->n += status == HED_OK;
  hed_map_clear(&m);
  return status;
}

static hed_status all(request *r)
{
  const size_t n = r->table.n;
  hed_status status = HED_OK;
  int64_t at[3], begin[3];
  r->row = calloc(n + 1, sizeof *r->row);
  r->more = calloc(n + 1, sizeof *r->more);
  r->written = calloc(n + 1, sizeof *r->written);
  r->over = calloc(n + 1, sizeof *r->over);
  if (!r->row || !r->more || !r->written || !r->over)
    return hed_fail(HED_E_NOMEM, "no memory for %zu rows", n);
  for (size_t i = 0; i < n; i++)
    if (!middle(r, &r->table.row[i], at, begin))
      r->over[r->n_over++] = i;
  if (r->n_over && r->edge == EDGE_ERROR)
    return hed_fail(HED_E_INVAL, "'%s' row %zu: a box of %lld voxels reaches over a face of '%s', as %zu do; --edge says what with "
                    "them",
                    r->table_path, r->over[0] + 1, (long long)r->cut, r->target_path, r->n_over);
  const size_t boxes = n - (r->edge == EDGE_SKIP ? r->n_over : 0);
  if (r->stack && boxes && !(r->all = hed_full(HED_SHAPE((int64_t)boxes, r->box, r->box, r->box), 0, HED_FLOAT32)))
    return hed_error();
  for (size_t i = 0, k = 0; i < n && status == HED_OK; i++) {
    const bool inside = middle(r, &r->table.row[i], at, begin);
    if (__atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
      return hed_fail(HED_E_CANCELLED, "interrupted");
    k += !inside;
    if (inside || r->edge != EDGE_SKIP)
      status = one(r, &r->table.row[i], at, begin);
  }
  return status;
}

/* ---- what is written of all ---- */

static hed_status write_table(request *r, const char *path)
{
  char room[64], optics[1000];
  hed_table t = { .n = r->n, .row = r->row };
  hed_table_frame frame = tool_frame(&r->target, r->target_path, r->name, room);
  const double voxel = frame.voxel[2] > 0 ? frame.voxel[2] : 1, binning = r->binning > 0 ? r->binning : 1;
  if (r->dynamo) {
    t.columns = "dynamo4\tdynamo5\tdynamo6";
    for (int a = 0; a < 3; a++)
      frame.voxel[a] = voxel * r->scale;
    return hed_table_write_as(path, &t, HED_TABLE_DYNAMO, &frame);
  }
  t.columns = r->stack ? "rlnOriginXAngst\trlnOriginYAngst\trlnOriginZAngst"
                       : "rlnOriginXAngst\trlnOriginYAngst\trlnOriginZAngst\trlnImageName";
  snprintf(optics, sizeof optics, "\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_rlnSphericalAberration\n"
           "_rlnVoltage\n"
           "_rlnAmplitudeContrast\n_rlnTomoTiltSeriesPixelSize\n_rlnCtfDataAreCtfPremultiplied\n_rlnImageDimensionality\n"
           "_rlnTomoSubtomogramBinning\n_rlnImagePixelSize\n_rlnImageSize\n1\topticsGroup1\t%.9g\t%.9g\t%.9g\t%.9g\t0\t3\t%.9g\t"
           "%.9g\t%lld\n",
           r->cs > 0 ? r->cs : 2.7, r->kilovolt > 0 ? r->kilovolt : 300, r->amplitude > 0 ? r->amplitude : 0.07, voxel / binning,
           r->scale * binning, voxel * r->scale, r->box);
  t.blocks = optics;
  memcpy(t.voxel, frame.voxel, sizeof t.voxel);
  return hed_table_write_as(path, &t, HED_TABLE_RELION5, &frame);
}

static hed_status write_maps(const request *r, outputs *o)
{
  hed_map m = { .data = r->all };
  hed_status status = HED_OK;
  for (int a = 0; a < 3; a++)
    m.voxel[a] = r->target.voxel[a] * r->scale;
  snprintf(m.label, sizeof m.label, "heddle %s extract: %zu particles", hed_version(), r->n);
  if (r->stack && r->n)
    status = hed_map_write(outputs_name(o, 1), &m, 2);
  if (status != HED_OK || !r->average_path)
    return status;
  hed_array *mean = hed_divide_scalar(r->sum, (double)r->n);
  snprintf(m.label, sizeof m.label, "heddle %s extract: mean of %zu particles", hed_version(), r->n);
  m.data = mean;
  status = mean ? hed_map_write(outputs_name(o, o->n - 1), &m, 2) : hed_error();
  hed_release(mean);
  return status;
}

static int make(request *r, outputs *o)
{
  char table[32];
  snprintf(table, sizeof table, "/%s", r->dynamo ? "crop.tbl" : "particles.star");
  int code = 0;
  hed_status status = read_all(r);
  if (status != HED_OK)
    return tool_fail_status(status);
  r->made = mkdir(r->folder, 0777) == 0;
  if (!r->made && errno != EEXIST)
    return tool_fail(STATUS_INPUT, "cannot make the folder '%s': %s", r->folder, strerror(errno));
  if ((code = outputs_add(o, r->folder, table)) != 0 || (r->stack && (code = outputs_add(o, r->folder, "/particles.mrc")) != 0) ||
      (r->average_path && (code = outputs_plan(o, r->average_path, 1, outputs_whole, 0, NULL)) != 0) ||
      (code = outputs_input(o, r->target_path)) != 0 || (code = outputs_input(o, r->table_path)) != 0)
    return code;
  status = all(r);
  if (status == HED_OK && r->n == 0)
    return tool_fail(STATUS_NEGATIVE, "of %zu rows none is left: all reach over the faces of '%s'", r->table.n, r->target_path);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK)
    status = write_table(r, outputs_name(o, 0));
  if (status == HED_OK)
    status = write_maps(r, o);
  if (status == HED_E_CANCELLED)
    return tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  return status == HED_OK ? outputs_commit(o) : tool_fail_status(status);
}

static void report(const request *r, const outputs *o)
{
  if (r->n_over) {
    printf("%zu rows reach over the faces%s:", r->n_over, r->edge == EDGE_SKIP ? " and are left out" : ", where they are filled up");
    for (size_t i = 0; i < r->n_over && i < 20; i++)
      printf(" %zu", r->over[i] + 1);
    printf("%s\n", r->n_over > 20 ? " ..." : "");
  }
  printf("%zu boxes of %lld voxels of %g A\n", r->n, r->box, r->target.voxel[2] * r->scale);
  for (int i = 0; i < o->n; i++)
    printf("  %s\n", o->final[i]);
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "TARGET TABLE",
    .doc = "Cut particles out of a tomogram.\v"
           "TABLE is of any kind that `heddle convert' reads. Boxes are cut at whole voxels; the table that is written says how far "
           "each "
           "place is from its box's middle, voxel N / 2 (from 0). Exit status 1 means that no row is left."
  };
  request r = { .from = -1 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  tool_catch_signals();
  o.force = r.force;
  code = make(&r, &o);
  if (code == 0)
    report(&r, &o);
  for (size_t i = 0; r.written && i < r.table.n; i++) {
    if (r.written[i] && code)
      unlink(r.written[i]);
    free(r.written[i]);
    free(r.more[i]);
  }
  outputs_close(&o);
  if (code && r.made)
    (void)rmdir(r.folder);
  free(r.written);
  free(r.more);
  free(r.row);
  free(r.over);
  hed_release(r.all);
  hed_release(r.sum);
  hed_map_clear(&r.target);
  hed_table_clear(&r.table);
  return code;
}

const tool_command cmd_extract = { "extract", "particles cut out of a tomogram", run_command };
