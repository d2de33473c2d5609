// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle match` takes on the command line.
 *
 * Layer: L5.
 */
#include "job.h"
#include <ctype.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_MASK = 256, KEY_TARGET_MASK, KEY_STEP, KEY_SCORE, KEY_WORKERS, KEY_ORDER, KEY_PEAKS, KEY_DISTANCE, KEY_MIN_SCORE,
  KEY_FALSE, KEY_NULL,
  KEY_TRUTH, KEY_JSON, KEY_FORCE, KEY_VOXEL, KEY_TEMPLATE_VOXEL, KEY_RESAMPLE, KEY_RESOLUTION, KEY_PAD, KEY_MEMORY,
  KEY_INVERT, KEY_CLIP, KEY_NAN, KEY_VOLUME, KEY_CHECKPOINT, KEY_RESUME,
  KEY_SHARE, KEY_MERGE, KEY_SYMMETRY, KEY_SAMPLING,
  KEY_ROTATIONS, KEY_ZXZ, KEY_DIAMETER, KEY_BACKGROUND, KEY_DRY, KEY_CHECK, KEY_JSON_PROGRESS, KEY_FORMAT, KEY_NAME, KEY_SUBVOXEL,
  KEY_LIST, KEY_ONLY, KEY_AT_ONCE, KEY_REGION, KEY_SEEDS, KEY_SEEDS_FORMAT, KEY_CONE, KEY_AXIS, KEY_RADIUS, KEY_OFFSET, KEY_MPI,
  KEY_REPORT, KEY_STRATEGY, KEY_SUB_VOLUMES, KEY_BIN, KEY_COARSE, KEY_CANDIDATES, KEY_PICTURES
};

static const struct argp_option options[] = {
  { NULL, 0, NULL, 0, "Files:", 1 },
  { "output", 'o', "PREFIX", 0, "Write PREFIX_scores.mrc, PREFIX_rotations.mrc with the list PREFIX_rotations.npy, PREFIX_peaks.tsv, "
    "PREFIX.json, with several templates PREFIX_templates.mrc, and with Cairo PREFIX.png, PREFIX_histogram.png "
    "and PREFIX_directions.png; its folder is made when it is missing", 1 },
  { "list", KEY_LIST, "FILE|FOLDER", 0, "Instead of TARGET many tomograms: a table, RELION 5's tomograms.star, or a folder, also of "
    "Warp or AreTomo; writes PREFIX_NAME... of each, PREFIX_peaks.star and PREFIX_peaks.tsv of all, PREFIX_tomograms.tsv and "
    "PREFIX.json", 1 },
  { "only", KEY_ONLY, "NAME", 0, "Of a list this tomogram alone; of the others what is there", 1 },
  { "mask", KEY_MASK, "FILE", 0, "Mask of the template's shape; default: the inscribed sphere (1 for CC and CORR)", 1 },
  { "target-mask", KEY_TARGET_MASK, "FILE", 0, "Score only where this map of the target's shape is above 0", 1 },
  { "truth", KEY_TRUTH, "FILE", 0, "Table of true positions: report recall, precision and errors", 1 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where the target's header is wrong", 1 },
  { "template-voxel", KEY_TEMPLATE_VOXEL, "A", 0, "The same for the template", 1 },
  { "resample", KEY_RESAMPLE, NULL, 0, "Bring a template of another voxel size to the target's, and the mask", 1 },
  { "resolution", KEY_RESOLUTION, "A", 0, "Resolution of a model's density in angstrom (4 voxels)", 1 },
  { "nan", KEY_NAN, "mean", 0, "Voxels that are NaN become the mean of the others; otherwise they are an error", 1 },
  { "volume", KEY_VOLUME, NULL, 0, "Maps are volumes, whatever their headers say", 1 },
  { "format", KEY_FORMAT, "LIST", 0, "Further tables of the peaks: star, tbl, relion5, stopgap, pytme, coords, napari, cmm; "
    "commas between", 1 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name in tables (that of TARGET); of seeds of several, those of this one", 1 },
  { "report", KEY_REPORT, "FILE.html", 0, "Write a page, too, that needs nothing beside it: sections through the hits, scores, their "
    "histogram, directions, a table that sorts, and all parameters; of a list FILE_NAME.html of each", 1 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 1 },
  { "pictures", KEY_PICTURES, "png|svg|pdf", 0, "What pictures are written as (png)", 1 },
  { NULL, 0, NULL, 0, "Search:", 2 },
  { "angular-step", KEY_STEP, "DEG", 0, "Angle between rotations (15)", 2 },
  { "diameter", KEY_DIAMETER, "A", 0, "Of the particle: the step is the low pass, or two voxels, over this, in radians", 2 },
  { "rotations", KEY_ROTATIONS, "FILE", 0,
       "These instead: three Euler angles in degrees a line (ZYZ), four numbers of a quaternion, STAR "
    "with RELION's angles, or .npy of matrices", 2 },
  { "zxz", KEY_ZXZ, NULL, 0, "Angles of that file are ZXZ", 2 },
  { "symmetry", KEY_SYMMETRY, "GROUP", 0, "The template's point group, C1 to C64, D1 to D64, T, O or I, axes as RELION's: rotations "
    "that look the same are left out (C1)", 2 },
  { "sampling", KEY_SAMPLING, "KIND", 0, "How rotations are spread: spiral or healpix (spiral)", 2 },
  { "cone", KEY_CONE, "DEG", 0, "Only rotations whose particle's axis is this near to that of a seed, or to --axis", 2 },
  { "axis", KEY_AXIS, "X,Y,Z", 0, "Where that cone points, without seeds (0,0,1)", 2 },
  { "seeds", KEY_SEEDS, "FILE", 0, "Table of places and orientations: particles are looked for near them alone", 2 },
  { "seeds-format", KEY_SEEDS_FORMAT, "FORMAT", 0, "Of that file: tsv, star, tbl, relion5, stopgap, pytme, coords, napari or cmm "
    "(by its content)", 2 },
  { "radius", KEY_RADIUS, "V[,V,V]", 0, "How near, in voxels, along the seed's own axes x, y, z (half the template's least "
    "extent)", 2 },
  { "seed-offset", KEY_OFFSET, "X,Y,Z", 0, "Particles lie this far from their seeds, in voxels along the seed's own axes (0,0,0)", 2 },
  { "region", KEY_REGION, "Z0:Z1,Y0:Y1,X0:X1", 0, "Search these voxels of the target alone; of an image Y0:Y1,X0:X1", 2 },
  { "sub-volumes", KEY_SUB_VOLUMES, "Z,Y,X", 0, "Divide the target into as many at least along each axis, and in each apply the "
    "contrast transfer of its own defocus, by its place; for --tilts of single ones with a defocus", 2 },
  { "strategy", KEY_STRATEGY, "WORD", 0, "full: every rotation everywhere; or coarse: first binned by two, then every rotation "
    "in full resolution at the best places, then refined. Every "
    "score reported is the score at that place and rotation, and at a candidate's "
    "place no rotation of the list scores higher before refinement; a particle can be missed only in the first stage, and there is no "
    "guarantee that none is; auto: coarse where some rotations of both say that it takes less time, else full (full)", 2 },
  { "bin", KEY_BIN, "N", 0, "Of the first stage: 1 or 2 (2, or 1 where binning takes a tenth of the template's energy)", 2 },
  { "coarse-step", KEY_COARSE, "DEG", 0, "Of the first stage: angle between rotations (20)", 2 },
  { "candidates", KEY_CANDIDATES, "N", 0, "Of the first stage: at most N places (1000)", 2 },
  { "score", KEY_SCORE, "NAME", 0, "What is maximised (FLC); an unknown one lists all", 2 },
  { "order", KEY_ORDER, "N", 0, "Order of the spline that turns the template: 0, 1 or 3 (3)", 2 },
  { "pad", KEY_PAD, NULL, 0, "No wrapping round at the faces of the target; slower", 2 },
  { "invert", KEY_INVERT, NULL, 0, "The target's contrast is the other way round than the template's", 2 },
  { "background-correction", KEY_BACKGROUND, "SEED", OPTION_ARG_OPTIONAL,
       "Take out of the scores what the template with random phases "
    "scores: a second search (seed 0)", 2 },
  { "clip", KEY_CLIP, "K", 0, "Set values farther than K deviations from the median to that bound (50); 'off': do not", 2 },
  { NULL, 0, NULL, 0, "Peaks:", 4 },
  { "peaks", KEY_PEAKS, "N", 0, "At most N peaks (1000)", 4 },
  { "min-distance", KEY_DISTANCE, "V", 0, "Voxels between peaks (half the template's extent)", 4 },
  { "false-positives", KEY_FALSE, "N", 0, "Cut where N scores of the background are expected above (1)", 4 },
  { "null", KEY_NULL, "SHAPE", 0, "What the background's scores are taken for: measured, with the tail that they have, or normal "
    "(measured)", 4 },
  { "min-score", KEY_MIN_SCORE, "S", 0, "Cut there instead", 4 },
  { "subvoxel", KEY_SUBVOXEL, NULL, 0, "Places between voxels, by parabolas", 4 },
  { NULL, 0, NULL, 0, "Run:", 5 },
  { "workers", KEY_WORKERS, "LIST", 0, "Contexts of the workers, \"cpu*2,reference\" (one per processor)", 5 },
  { "at-once", KEY_AT_ONCE, "N", 0, "Of a list N tomograms at a time, between which workers are divided (as many as there are "
    "workers, and memory for)", 5 },
  { "memory", KEY_MEMORY, "SIZE", 0, "Need no more than SIZE bytes (suffix K, M or G): larger targets are matched in parts", 5 },
  { "checkpoint", KEY_CHECKPOINT, "SECONDS", 0, "Keep how far the run has come in PREFIX.hck, this often (300) and when it is "
    "interrupted; 'off': do not", 5 },
  { "resume", KEY_RESUME, NULL, 0, "Go on from PREFIX.hck", 5 },
  { "share", KEY_SHARE, "K/N", 0, "Do the K-th of N shares of the rotations alone, K from 0: PREFIX.hck is the result", 5 },
  { "merge", KEY_MERGE, NULL, 0, "Instead of searching, put shares together: the files behind TEMPLATE", 5 },
  { "mpi", KEY_MPI, NULL, 0, "One of several processes that mpirun has started: they share the rotations, and the first one "
    "writes the result", 5 },
  { "dry-run", KEY_DRY, NULL, 0, "Say what it would take: rotations, parts, memory, and time from some rotations that are "
    "measured", 5 },
  { "check", KEY_CHECK, NULL, 0, "Search at 200 rotations with the template, mirrored, inverted, and both, and say which fits", 5 },
  { "json-progress", KEY_JSON_PROGRESS, NULL, 0, "Progress as a line of JSON a second on standard error", 5 },
  { "json", KEY_JSON, NULL, 0, "Summary as JSON (heddle.match/2)", 5 },
  { "quiet", 'q', NULL, 0, "No progress", 5 },
  { 0 }
};

static error_t parse_argument(match_job *j, char *arg, struct argp_state *state)
{
  if (!j->target_path)
    j->target_path = arg;
  else if (!j->template_path)
    j->template_path = arg;
  else if (j->n_more == MATCH_MORE)
    argp_error(state, "more than %d files behind TARGET and the first TEMPLATE", MATCH_MORE);
  else
    j->more[j->n_more++] = arg;
  return 0;
}

/* "star,tbl" */
static void parse_formats(match_job *j, struct argp_state *state, const char *text)
{
  char word[16];
  for (const char *s = text;; s += strcspn(s, ",") + 1) {
    const size_t n = strcspn(s, ",");
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, s);
    j->formats |= 1 << tool_table_format(state, "--format", word);
    if (s[n] == '\0')
      break;
  }
  j->formats &= ~(1 << HED_TABLE_TSV); /* it is always there */
}

/* One to COUNT numbers between commas; how many. */
static int parse_numbers(struct argp_state *state, const char *option, const char *text, double low, double high, double out[3])
{
  char word[32];
  int n = 0;
  for (const char *s = text; n < 3; s += strcspn(s, ",") + 1) {
    const size_t length = strcspn(s, ",");
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, s);
    out[n++] = tool_number(state, option, word, low, high);
    if (s[length] == '\0')
      return n;
  }
  argp_error(state, "%s: '%s' has more than three numbers", option, text);
  return n;
}

static void parse_three(struct argp_state *state, const char *option, const char *text, double low, double high, double out[3])
{
  if (parse_numbers(state, option, text, low, high, out) != 3)
    argp_error(state, "%s: '%s' is not three numbers with commas between", option, text);
}

/* "Z0:Z1,Y0:Y1,X0:X1" */
static void parse_region(match_job *j, struct argp_state *state, const char *text)
{
  int n = 0, used = 0;
  for (const char *s = text; n < 3 && *s; s += used + (s[used] == ',')) {
    long long low, high;
    used = -1;
    if (sscanf(s, "%lld:%lld%n", &low, &high, &used) < 2 || used < 0 || (s[used] != ',' && s[used] != '\0') || low < 0 || high <= low)
      argp_error(state, "--region: '%s' is not Z0:Z1,Y0:Y1,X0:X1, each from 0 and the second larger", text);
    j->region[n][0] = low;
    j->region[n++][1] = high;
    if (s[used] == '\0')
      break;
  }
  if (n < 2)
    argp_error(state, "--region: '%s' is not Z0:Z1,Y0:Y1,X0:X1", text);
}

/* "Z,Y,X" */
static void parse_sub_volumes(match_job *j, struct argp_state *state, const char *text)
{
  double n[3];
  parse_three(state, "--sub-volumes", text, 1, 1000, n);
  for (int i = 0; i < 3; i++) {
    j->sub_volumes[i] = (int64_t)n[i];
    if ((double)j->sub_volumes[i] < n[i])
      argp_error(state, "--sub-volumes: '%s' is not three whole numbers with commas between", text);
  }
}

/* "K/N" */
static void parse_share(match_job *j, struct argp_state *state, const char *text)
{
  const char *slash = strchr(text, '/');
  char first[16];
  if (!slash || slash == text || (size_t)(slash - text) >= sizeof first) {
    argp_error(state, "--share: '%s' is not K/N", text);
    return;
  }
  snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
  j->shares = (size_t)tool_integer(state, "--share", slash + 1, 1, 1000000);
  j->share = (size_t)tool_integer(state, "--share", first, 0, (long long)j->shares - 1);
}

static void check_score(struct argp_state *state, const char *name)
{
  const char *known;
  char all[160] = "";
  for (int i = 0; (known = hed_match_score_name(i)) != NULL; i++) {
    if (strcasecmp(known, name) == 0)
      return;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", known);
  }
  char choices[240];
  argp_error(state, "--score: unknown score '%s'%s", name, hed_choices(name, all, choices, sizeof choices));
}

/* "200000", "64M": at least 1 byte. */
static size_t parse_size(struct argp_state *state, const char *text)
{
  static const char suffixes[] = "KMG";
  char digits[24];
  size_t n = strspn(text, "0123456789");
  const char *suffix = text[n] ? strchr(suffixes, toupper((unsigned char)text[n])) : NULL;
  if (n == 0 || n >= sizeof digits || (text[n] && (!suffix || text[n + 1])))
    argp_error(state, "--memory: '%s' is not a number of bytes with K, M, G or nothing behind it", text);
  snprintf(digits, sizeof digits, "%.*s", (int)n, text);
  return (size_t)tool_integer(state, "--memory", digits, 1, (long long)1 << 33) << (suffix ? 10 * (suffix - suffixes + 1) : 0);
}

/* What options that say one thing set. */
typedef enum kind { TEXT, FLAG, NUMBER, INTEGER } kind;
typedef struct setting { int key; kind kind; size_t at; double low, high; } setting;

#define AT(member) offsetof(match_job, member)
static const setting settings[] = {
  { 'o', TEXT, AT(prefix), 0, 0 }, { KEY_MASK, TEXT, AT(mask_path), 0, 0 }, { KEY_TARGET_MASK, TEXT, AT(target_mask_path), 0, 0 },
  { KEY_TRUTH, TEXT, AT(truth_path), 0, 0 }, { KEY_ROTATIONS, TEXT, AT(rotations_path), 0, 0 },
  { KEY_NAME, TEXT, AT(tomogram), 0, 0 }, { KEY_SEEDS, TEXT, AT(seeds_path), 0, 0 }, { KEY_LIST, TEXT, AT(list_path), 0, 0 },
  { KEY_ONLY, TEXT, AT(only), 0, 0 }, { KEY_REPORT, TEXT, AT(report_path), 0, 0 },
  { KEY_STEP, NUMBER, AT(step), 0.5, 360 }, { KEY_DIAMETER, NUMBER, AT(diameter), 1e-3, 1e6 },
  { KEY_DISTANCE, NUMBER, AT(min_distance), 0.5, 1e5 }, { KEY_FALSE, NUMBER, AT(false_positives), 1e-9, 1e9 },
  { KEY_VOXEL, NUMBER, AT(voxel), 1e-3, 1e6 }, { KEY_TEMPLATE_VOXEL, NUMBER, AT(template_voxel), 1e-3, 1e6 },
  { KEY_RESOLUTION, NUMBER, AT(resolution), 1e-3, 1e6 }, { KEY_CONE, NUMBER, AT(cone), 1e-3, 180 },
  { KEY_MIN_SCORE, NUMBER, AT(min_score), -1e30, 1e30 },
  { KEY_PEAKS, INTEGER, AT(peaks), 1, 1e7 }, { KEY_AT_ONCE, INTEGER, AT(at_once), 1, 1024 },
  { KEY_ORDER, INTEGER, AT(spline_order), 0, 3 }, { KEY_BIN, INTEGER, AT(bin), 1, 2 },
  { KEY_CANDIDATES, INTEGER, AT(candidates), 1, 1e6 }, { KEY_COARSE, NUMBER, AT(coarse_step), 1, 180 },
  { KEY_ZXZ, FLAG, AT(zxz), 0, 0 }, { KEY_DRY, FLAG, AT(dry_run), 0, 0 }, { KEY_CHECK, FLAG, AT(check), 0, 0 },
  { KEY_SUBVOXEL, FLAG, AT(subvoxel), 0, 0 }, { KEY_PAD, FLAG, AT(pad), 0, 0 }, { KEY_INVERT, FLAG, AT(invert), 0, 0 },
  { KEY_RESAMPLE, FLAG, AT(resample), 0, 0 }, { KEY_RESUME, FLAG, AT(resume), 0, 0 }, { KEY_MPI, FLAG, AT(mpi), 0, 0 },
  { KEY_MERGE, FLAG, AT(merge), 0, 0 }, { KEY_JSON, FLAG, AT(json), 0, 0 }, { KEY_VOLUME, FLAG, AT(volume), 0, 0 },
  { KEY_FORCE, FLAG, AT(force), 0, 0 },
};
#undef AT

/* "--voxel" of its key. */
static const char *name_of(int key, char text[40])
{
  const struct argp_option *o = options;
  while (o->key != key)
    o++;
  snprintf(text, 40, "--%s", o->name);
  return text;
}

static bool set(match_job *j, int key, char *arg, struct argp_state *state)
{
  char name[40];
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    const setting *s = &settings[i];
    char *to = (char *)j + s->at;
    if (s->key != key)
      continue;
    if (s->kind == TEXT)
      memcpy(to, &arg, sizeof arg);
    else if (s->kind == FLAG)
      *(bool *)to = true;
    else if (s->kind == NUMBER)
      memcpy(to, &(double){ tool_number(state, name_of(key, name), arg, s->low, s->high) }, sizeof(double));
    else
      memcpy(to, &(long long){ tool_integer(state, name_of(key, name), arg, (long long)s->low, (long long)s->high) },
             sizeof(long long));
    return true;
  }
  return false;
}

static void parse_workers(match_job *j, struct argp_state *state, const char *text)
{
  if (strlen(text) >= sizeof j->workers || !*text)
    argp_error(state, "--workers: a list of 1 to %zu characters is expected", sizeof j->workers - 1);
  if (hed_match_workers_check(text) != HED_OK)
    argp_error(state, "--%s", tool_reason());
  snprintf(j->workers, sizeof j->workers, "%s", text);
}

static void parse_symmetry(match_job *j, struct argp_state *state, const char *text)
{
  size_t none = 0;
  if (hed_rotations_reduce(text, 1, NULL, &none) != HED_OK)
    argp_error(state, "--%s", tool_reason());
  j->symmetry = text;
}

static void parse_checkpoint(match_job *j, struct argp_state *state, const char *text)
{
  j->no_checkpoint = strcmp(text, "off") == 0;
  if (!j->no_checkpoint)
    j->checkpoint_seconds = tool_number(state, "--checkpoint", text, 0.1, 1e7);
}

/* What does not go together. */
static void check_all(match_job *j, struct argp_state *state)
{
  if (j->list_path && j->target_path) { /* it is a template */
    if (j->template_path) {
      parse_argument(j, NULL, state);
      memmove(j->more + 1, j->more, (j->n_more - 1) * sizeof j->more[0]);
      j->more[0] = j->template_path;
    }
    j->template_path = j->target_path;
    j->target_path = NULL;
  }
  if (!j->template_path)
    argp_error(state, j->list_path ? "TEMPLATE is expected" : "TARGET and TEMPLATE are expected");
  else if (j->list_path && (j->shares || j->merge || j->mpi || j->check || j->truth_path || j->tomogram))
    argp_error(state, "--list: not with --share, --merge, --mpi, --check, --truth and --tomo-name");
  else if (!j->list_path && (j->only || j->at_once))
    argp_error(state, "--only and --at-once are for --list");
  else if (match_is_batch(j) && ((j->resume && !j->list_path) || j->shares || j->mpi || j->check || j->background ||
                                 j->checkpoint_seconds > 0))
    argp_error(state, "%zu templates at once: not with --checkpoint, --resume, --share, --mpi, --check and "
               "--background-correction", j->n_more + 1);
  else if (j->strategy == MATCH_COARSE && j->sub_volumes[0])
    argp_error(state, "--strategy=coarse: not with --sub-volumes");
  else if (j->strategy == MATCH_FULL && (j->bin || j->candidates || j->coarse_step > 0))
    argp_error(state, "--bin, --coarse-step and --candidates are for --strategy=coarse and auto");
  else if (j->strategy == MATCH_COARSE && (j->n_more || j->shares || j->mpi || j->check || j->background || j->seeds_path ||
                                           j->subvoxel))
    argp_error(state, "--strategy=coarse: not with several templates, --share, --merge, --mpi, --check, --background-correction, "
               "--seeds and --subvoxel");
  else if (j->report_path && j->shares > 1)
    argp_error(state, "--report with --share, which leaves no result; --merge has one");
  else if (j->spline_order == 2)
    argp_error(state, "--order: 0, 1 or 3, not 2");
  else if (j->dry_run || j->check)
    j->no_checkpoint = true;
  else if (!j->prefix)
    argp_error(state, "-o PREFIX is missing");
  else if (j->no_checkpoint && ((j->resume && !j->list_path) || j->shares > 1))
    argp_error(state, "--checkpoint=off with --%s, which needs one", j->resume ? "resume" : "share");
  else if (j->merge && (j->resume || j->shares || j->n_more == 0))
    argp_error(state, "--merge is for the files of shares, TARGET TEMPLATE FILE..., without --resume and --share");
  else if (j->mpi && (j->merge || j->shares || j->no_checkpoint))
    argp_error(state, "--mpi shares by itself and needs its checkpoints: not with --share, --merge, --dry-run, --check and "
               "--checkpoint=off");
  else if (j->axis_given && (j->seeds_path || !(j->cone > 0)))
    argp_error(state, "--axis is for --cone without seeds, which have their own axes");
  else if (!j->seeds_path && (j->radius[0] > 0 || j->offset[0] < 0 || j->offset[0] > 0 || j->seeds_format >= 0))
    argp_error(state, "--radius, --seed-offset and --seeds-format are for --seeds");
  else if (j->cone > 0 && !j->seeds_path && (j->rotations_path || j->healpix))
    argp_error(state, "--cone without seeds makes rotations of its own: not with --rotations and --sampling");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  match_job *j = state->input;
  j->min_score_given = j->min_score_given || key == KEY_MIN_SCORE;
  if (set(j, key, arg, state))
    return 0;
  switch (key) {
  case 'q': j->progress = PROGRESS_OFF; return 0;
  case KEY_PICTURES: j->pictures = tool_word(state, "--pictures", arg, "png,svg,pdf"); return 0;
  case KEY_JSON_PROGRESS: j->progress = PROGRESS_JSON; return 0;
  case KEY_SCORE:
    check_score(state, arg);
    j->score = arg;
    return 0;
  case KEY_WORKERS: parse_workers(j, state, arg); return 0;
  case KEY_SYMMETRY: parse_symmetry(j, state, arg); return 0;
  case KEY_STRATEGY: j->strategy = tool_word(state, "--strategy", arg, "full,coarse,auto"); return 0;
  case KEY_SUB_VOLUMES: parse_sub_volumes(j, state, arg); return 0;
  case KEY_SAMPLING: j->healpix = tool_word(state, "--sampling", arg, "spiral,healpix"); return 0;
  case KEY_BACKGROUND:
    j->background = true;
    j->background_seed = arg ? (uint64_t)tool_integer(state, "--background-correction", arg, 0, 1LL << 60) : 0;
    return 0;
  case KEY_FORMAT: parse_formats(j, state, arg); return 0;
  case KEY_CLIP: j->clip = strcmp(arg, "off") == 0 ? INFINITY : tool_number(state, "--clip", arg, 1, 1e9); return 0;
  case KEY_MEMORY: j->memory = parse_size(state, arg); return 0;
  case KEY_NULL: j->null_shape = tool_word(state, "--null", arg, "measured,normal"); return 0;
  case KEY_CHECKPOINT: parse_checkpoint(j, state, arg); return 0;
  case KEY_REGION: parse_region(j, state, arg); return 0;
  case KEY_SEEDS_FORMAT: j->seeds_format = tool_table_format(state, "--seeds-format", arg); return 0;
  case KEY_AXIS:
    parse_three(state, "--axis", arg, -1e6, 1e6, j->axis);
    j->axis_given = true;
    return 0;
  case KEY_RADIUS: parse_numbers(state, "--radius", arg, 1e-3, 1e6, j->radius); return 0;
  case KEY_OFFSET: parse_three(state, "--seed-offset", arg, -1e6, 1e6, j->offset); return 0;
  case KEY_SHARE: parse_share(j, state, arg); return 0;
  case KEY_NAN: j->nan_mean = tool_word(state, "--nan", arg, "mean") == 0; return 0;
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &j->filters;
    return 0;
  case ARGP_KEY_ARG: return parse_argument(j, arg, state);
  case ARGP_KEY_END: check_all(j, state); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = { { &filters_argp, 0, "Filters:", 3 }, { 0 } };

const struct argp match_argp = {
  .options = options, .parser = parse, .children = children, .args_doc = "TARGET TEMPLATE...\n--list=FILE TEMPLATE...",
  .doc = "Find TEMPLATE in TARGET in every orientation.\v"
         "TARGET is an MRC map or image, TEMPLATE one too, or several of one shape, or a model (.pdb, .cif) that becomes a "
         "density of the target's voxel size. Positions are those of the template's centre voxel. Exit status 1 means that no peak "
         "was found; the files are written all the same."
};
