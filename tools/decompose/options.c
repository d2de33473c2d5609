// SPDX-License-Identifier: BSD-3-Clause
/* The options of `heddle decompose`.
 *
 * Layer: L5.
 */
#include "job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_CP = 256, KEY_TUCKER, KEY_TT, KEY_PARAFAC2, KEY_ROBUST, KEY_SCAN, KEY_NAME, KEY_NONNEG, KEY_MASK, KEY_MISSING, KEY_RESTARTS,
  KEY_SEED, KEY_SWEEPS, KEY_TOL, KEY_JSON, KEY_FORCE, KEY_INIT, KEY_PARTIAL, KEY_PICTURES, KEY_LOSS, KEY_DIAGNOSE,
  KEY_SPLIT, KEY_KNIFE, KEY_CONSTRAINT, KEY_COMPARE, KEY_SHAPE, KEY_EMISSION, KEY_EXCITATION, KEY_SCATTER, KEY_FILL, KEY_SHIFT,
  KEY_AXIS, KEY_CSV, KEY_MAP
};

const char *const decompose_names[KIND_COUNT] = { "", "cp", "tucker", "tt", "parafac2", "robust", "compare" };

static const struct argp_option options[] = {
  { NULL, 0, NULL, 0, "What is looked for, one of:", 1 },
  { "cp", KEY_CP, "R", 0, "A sum of R outer products", 1 },
  { "tucker", KEY_TUCKER, "R,..", 0, "A core of these extents times a matrix per axis; one number serves all axes", 1 },
  { "tt", KEY_TT, "EPS|R,..", 0, "A train of cores: within a relative error below 1, or of these inner ranks", 1 },
  { "parafac2", KEY_PARAFAC2, "R", 0, "PARAFAC2 of the matrices in an .npz archive, or along the first axis of an array", 1 },
  { "robust", KEY_ROBUST, NULL, 0, "A low-rank part and outliers", 1 },
  { "rank-scan", KEY_SCAN, "LOW:HIGH", 0, "CP of each rank from LOW to HIGH: error and core consistency, and where to stop", 1 },
  { "compare", KEY_COMPARE, "OTHER", 0, "Nothing: how alike the components of two decompositions are, FILE and OTHER, which --cp, "
    "--tucker or --parafac2 wrote", 1 },
  { NULL, 0, NULL, 0, "Input and output:", 2 },
  { "name", KEY_NAME, "NAME", 0, "Which array of an .npz archive (the first) or of a .mat file (the only one)", 2 },
  { "shape", KEY_SHAPE, "I,J,..", 0, "The tensor whose elements in C order are the numbers of a .csv table (a matrix)", 2 },
  { "mask", KEY_MASK, "FILE", 0, "An .npy of the tensor's shape, 0 where it is not known", 2 },
  { "missing-nan", KEY_MISSING, NULL, 0, "Elements that are NaN are not known; otherwise they are an error", 2 },
  { "output", 'o', "PREFIX", 0, "Write PREFIX.npz and, with Cairo, PREFIX.png; its folder is made when it is missing", 2 },
  { "csv", KEY_CSV, NULL, 0, "Scores and loadings as tables too: PREFIX_mode0.csv, PREFIX_mode1.csv, ..; with --tucker "
    "PREFIX_core.csv, with --rank-scan PREFIX_scan.csv", 2 },
  { "axis", KEY_AXIS, "MODE=FILE[:UNIT]", 0, "What stands along a mode, in picture and tables: numbers of a text or .npy, and "
    "their unit", 2 },
  { "map", KEY_MAP, "DOWN,ACROSS", 0, "Which modes the maps of components have (emission and excitation, or the last two)", 2 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 2 },
  { "pictures", KEY_PICTURES, "png|svg|pdf", 0, "What the picture is written as (png)", 2 },
  { "json", KEY_JSON, NULL, 0, "Summary as JSON (heddle.decompose/1)", 2 },
  { NULL, 0, NULL, 0, "Scattered light in fluorescence:", 3 },
  { "emission", KEY_EMISSION, "AXIS:FILE", 0, "Which axis the emissions are, and their wavelengths in nm, text or .npy", 3 },
  { "excitation", KEY_EXCITATION, "AXIS:FILE", 0, "The same of the excitations", 3 },
  { "scatter", KEY_SCATTER, "BAND:NM,..", 0, "Take out bands of so many nm to either side of their line: rayleigh, rayleigh_second, "
    "raman, raman_second", 3 },
  { "scatter-fill", KEY_FILL, "mask|zero|interpolate", 0, "What takes its place: unknown, 0, or a line along the emissions", 3 },
  { "raman-shift", KEY_SHIFT, "S", 0, "Of the solvent, in 1/cm (3400, of water)", 3 },
  { NULL, 0, NULL, 0, "Run:", 4 },
  { "loss", KEY_LOSS, "NAME[:P]", 0, "What is made least, with --cp: gaussian, huber, poisson, poisson_log, bernoulli_odds, "
    "bernoulli_logit, gamma, rayleigh, negative_binomial or beta, and its parameter", 4 },
  { "diagnose", KEY_DIAGNOSE, NULL, 0, "Leverages and residuals of slices; with --cp shares and congruences of components", 4 },
  { "split-half", KEY_SPLIT, "AXIS", 0, "With --cp: how alike the components of both halves of this axis are", 4 },
  { "jackknife", KEY_KNIFE, "AXIS", 0, "With --cp: standard errors, each slice of this axis left out once", 4 },
  { "nonneg", KEY_NONNEG, NULL, 0, "Factors without negative entries (cp, tucker, parafac2: A and C)", 4 },
  { "constraint", KEY_CONSTRAINT, "MODE:KIND[:P],..", 0, "With --cp and --rank-scan: what the factor of each mode is bound to: "
    "nonnegative, l1, l2, l2_square, group, simplex, l1_ball, sparse, sparse_unit, max_unit, smooth, increasing, decreasing, "
    "unimodal, nuclear, orthonormal, box:LOW:HIGH or l2_ball, and its parameter", 4 },
  { "init", KEY_INIT, "svd|random|normal", 0,
    "What factors begin with (svd): leading vectors of each axis, uniform or, cp alone, normal numbers", 4 },
  { "restarts", KEY_RESTARTS, "N", 0, "Starts of which the best counts (1)", 4 },
  { "seed", KEY_SEED, "S", 0, "Of random starts (0)", 4 },
  { "sweeps", KEY_SWEEPS, "N", 0, "Sweeps at most", 4 },
  { "tol", KEY_TOL, "T", 0, "Stop when the error changes by less (1e-8)", 4 },
  { "keep-partial", KEY_PARTIAL, NULL, 0,
    "When interrupted, write what the last complete sweep, or the last complete rank of a scan, gave", 4 },
  { "quiet", 'q', NULL, 0, "No progress", 4 },
  { 0 }
};

static void choose(decompose_job *j, struct argp_state *state, decompose_kind kind)
{
  if (j->kind != KIND_NONE)
    argp_error(state, "one of --cp, --tucker, --tt, --parafac2, --robust, --rank-scan and --compare is expected");
  j->kind = kind;
}

/* "5,5,5" */
static void parse_extents(hed_shape *s, struct argp_state *state, const char *option, const char *text)
{
  char part[24];
  for (const char *p = text; p;) {
    const char *comma = strchr(p, ',');
    const size_t n = comma ? (size_t)(comma - p) : strlen(p);
    if (n >= sizeof part || s->ndim == HED_MAX_NDIM - 1) {
      argp_error(state, "%s: '%s' is no list of numbers", option, text);
      return;
    }
    snprintf(part, sizeof part, "%.*s", (int)n, p);
    s->dim[s->ndim++] = tool_integer(state, option, part, 1, 1000000);
    p = comma ? comma + 1 : NULL;
  }
}

/* "1e-4" is an error, "3" and "3,4" are ranks. */
static void parse_train(decompose_job *j, struct argp_state *state, const char *text)
{
  if (strspn(text, "0123456789,") == strlen(text) && strcmp(text, "0") != 0)
    parse_extents(&j->ranks, state, "--tt", text);
  else
    j->eps = tool_number(state, "--tt", text, 0, 1 - 1e-9);
}

/* "1:12" */
static void parse_scan(decompose_job *j, struct argp_state *state, const char *text)
{
  char low[24];
  const char *colon = strchr(text, ':');
  if (!colon || (size_t)(colon - text) >= sizeof low) {
    argp_error(state, "--rank-scan: '%s' is not LOW:HIGH", text);
    return;
  }
  snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
  j->scan_low = tool_integer(state, "--rank-scan", low, 1, 1000);
  j->scan_high = tool_integer(state, "--rank-scan", colon + 1, j->scan_low, 1000);
}

/* In the order of hed_cp_start. */
static void parse_init(decompose_job *j, struct argp_state *state, const char *text)
{
  j->init = (hed_cp_start)tool_word(state, "--init", text, "svd,random,normal");
  j->init_given = true;
}

/* "huber:0.5" */
static void parse_loss(decompose_job *j, struct argp_state *state, const char *text)
{
  char name[40];
  const char *colon = strchr(text, ':');
  const size_t n = colon ? (size_t)(colon - text) : strlen(text);
  snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
  j->loss = tool_word(state, "--loss", name, "gaussian,huber,poisson,poisson_log,bernoulli_odds,bernoulli_logit,gamma,rayleigh,"
                                             "negative_binomial,beta");
  if (colon)
    j->parameter = tool_number(state, "--loss", colon + 1, -1e6, 1e6);
}

static void check_cp(const decompose_job *j, struct argp_state *state)
{
  const bool halves = j->split_axis >= 0 || j->knife_axis >= 0, checks = j->diagnose || halves, list = decompose_is_list(j->path);
  if ((halves || j->loss >= 0) && (j->kind != KIND_CP || j->scan_high))
    argp_error(state, "--loss, --split-half and --jackknife go with --cp");
  if (j->diagnose && (j->kind == KIND_COMPARE || j->scan_high))
    argp_error(state, "--diagnose goes with one decomposition, not with --rank-scan and --compare");
  if (j->constrained && (j->kind != KIND_CP || list || j->loss >= 0))
    argp_error(state, "--constraint goes with --cp and --rank-scan, without --loss and of all elements, not of a .tns file");
  if (j->constrained && (j->split_axis >= 0 || j->knife_axis >= 0))
    argp_error(state, "--split-half and --jackknife decompose without --constraint");
  if (checks && list)
    argp_error(state, "--diagnose, --split-half and --jackknife need all elements, not a .tns file");
  if (j->loss >= 0 && list && j->loss != HED_GCP_POISSON)
    argp_error(state, "of a .tns file --loss is poisson");
  if (j->loss >= 0 && (j->split_axis >= 0 || j->knife_axis >= 0))
    argp_error(state, "--split-half and --jackknife are for squares, without --loss");
}

/* "1,2" */
static void parse_map(decompose_job *j, struct argp_state *state, const char *text)
{
  char down[8];
  const char *comma = strchr(text, ',');
  if (!comma || (size_t)(comma - text) >= sizeof down) {
    argp_error(state, "--map: '%s' is not DOWN,ACROSS", text);
    return;
  }
  snprintf(down, sizeof down, "%.*s", (int)(comma - text), text);
  j->map[0] = (int)tool_integer(state, "--map", down, 0, HED_MAX_NDIM - 1);
  j->map[1] = (int)tool_integer(state, "--map", comma + 1, 0, HED_MAX_NDIM - 1);
  if (j->map[0] == j->map[1])
    argp_error(state, "--map: mode %d is named twice", j->map[0]);
}

/* What is about files that are written. */
static void check_written(const decompose_job *j, struct argp_state *state)
{
  decompose_check_axes(j, state);
  if (j->about_files && !j->prefix)
    argp_error(state, "%s is about what is written: -o is expected", j->about_files);
  if (j->csv && (j->kind == KIND_TT || j->kind == KIND_ROBUST))
    argp_error(state, "--%s has no scores and loadings, which --csv writes", decompose_names[j->kind]);
  if (j->map[0] != j->map[1] && ((j->kind != KIND_CP && j->kind != KIND_TUCKER) || j->scan_high))
    argp_error(state, "--map goes with --cp and --tucker");
}

/* Which options go together. */
static void check(decompose_job *j, struct argp_state *state)
{
  if (!j->path)
    argp_error(state, "FILE is expected");
  if (j->kind == KIND_NONE)
    argp_error(state, "one of --cp, --tucker, --tt, --parafac2, --robust, --rank-scan and --compare is expected");
  if (j->kind == KIND_COMPARE && (j->prefix || j->name || j->mask_path || j->missing_nan || j->restarts || j->sweeps || j->tol > 0 ||
                                  j->keep_partial || j->nonnegative || j->init_given || j->about_files))
    argp_error(state, "--compare goes with --json alone");
  check_cp(j, state);
  decompose_check_scatter(j, state);
  check_written(j, state);
  if ((j->kind == KIND_CP || j->kind == KIND_PARAFAC2) && j->ranks.ndim > 1)
    argp_error(state, "--%s takes one rank", decompose_names[j->kind]);
  if (j->nonnegative && (j->kind == KIND_TT || j->kind == KIND_ROBUST))
    argp_error(state, "--nonneg goes with --cp, --tucker, --parafac2 and --rank-scan");
  if (j->kind == KIND_TT && (j->mask_path || j->missing_nan))
    argp_error(state, "--tt needs all elements");
  if (j->mask_path && j->kind == KIND_PARAFAC2)
    argp_error(state, "--parafac2 takes --missing-nan, not --mask");
  if (j->missing_nan && j->kind == KIND_ROBUST)
    argp_error(state, "--robust takes --mask, not --missing-nan");
  if (j->restarts && j->kind != KIND_CP && j->kind != KIND_PARAFAC2)
    argp_error(state, "--restarts goes with --cp, --parafac2 and --rank-scan");
  if (j->kind == KIND_TT && (j->sweeps || j->tol > 0 || j->keep_partial))
    argp_error(state, "--tt makes no sweeps: --sweeps, --tol and --keep-partial are for the others");
  if (j->init_given && (j->kind == KIND_TT || j->kind == KIND_ROBUST || (j->kind == KIND_TUCKER && j->nonnegative)))
    argp_error(state, "--init goes with --cp, --tucker (not with its --nonneg), --parafac2 and --rank-scan");
  if (j->init == HED_START_NORMAL && j->kind != KIND_CP)
    argp_error(state, "--init normal goes with --cp and --rank-scan");
  if (decompose_is_list(j->path) && ((j->kind != KIND_CP && j->kind != KIND_TUCKER) || j->scan_high))
    argp_error(state, "a .tns file goes with --cp and --tucker");
  if (j->init_given && j->init == HED_START_SVD && decompose_is_list(j->path))
    argp_error(state, "--init svd: a .tns file begins with random numbers");
  if (decompose_is_list(j->path) && (j->mask_path || j->missing_nan || (j->nonnegative && j->kind == KIND_TUCKER)))
    argp_error(state, "a .tns file does not go with --mask, --missing-nan and --tucker --nonneg");
  if (j->name && !decompose_has_names(j->path))
    argp_error(state, "--name goes with an .npz archive or a .mat file, not with '%s'", j->path);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  decompose_job *j = state->input;
  switch (key) {
  case KEY_CP: choose(j, state, KIND_CP); parse_extents(&j->ranks, state, "--cp", arg); return 0;
  case KEY_TUCKER: choose(j, state, KIND_TUCKER); parse_extents(&j->ranks, state, "--tucker", arg); return 0;
  case KEY_TT: choose(j, state, KIND_TT); parse_train(j, state, arg); return 0;
  case KEY_PARAFAC2: choose(j, state, KIND_PARAFAC2); parse_extents(&j->ranks, state, "--parafac2", arg); return 0;
  case KEY_ROBUST: choose(j, state, KIND_ROBUST); return 0;
  case KEY_SCAN: choose(j, state, KIND_CP); parse_scan(j, state, arg); return 0;
  case KEY_COMPARE: choose(j, state, KIND_COMPARE); j->compare_path = arg; return 0;
  case KEY_NAME: j->name = arg; return 0;
  case KEY_MASK: j->mask_path = arg; return 0;
  case KEY_MISSING: j->missing_nan = true; return 0;
  case KEY_NONNEG: j->nonnegative = true; return 0;
  case KEY_CONSTRAINT: decompose_parse_constraint(j, state, arg); return 0;
  case KEY_RESTARTS: j->restarts = tool_integer(state, "--restarts", arg, 1, 1000000); return 0;
  case KEY_SEED: j->seed = (uint64_t)tool_integer(state, "--seed", arg, 0, INT64_MAX); return 0;
  case KEY_SWEEPS: j->sweeps = tool_integer(state, "--sweeps", arg, 1, 100000000); return 0;
  case KEY_TOL: j->tol = tool_number(state, "--tol", arg, 1e-300, 1); return 0;
  case KEY_INIT: parse_init(j, state, arg); return 0;
  case KEY_PARTIAL: j->keep_partial = true; return 0;
  case KEY_LOSS: parse_loss(j, state, arg); return 0;
  case KEY_DIAGNOSE: j->diagnose = true; return 0;
  case KEY_SPLIT: j->split_axis = (int)tool_integer(state, "--split-half", arg, 0, HED_MAX_NDIM - 1); return 0;
  case KEY_KNIFE: j->knife_axis = (int)tool_integer(state, "--jackknife", arg, 0, HED_MAX_NDIM - 1); return 0;
  case KEY_SHAPE: parse_extents(&j->fold, state, "--shape", arg); return 0;
  case KEY_EMISSION: decompose_parse_wavelengths(&j->emission, state, "--emission", arg); return 0;
  case KEY_EXCITATION: decompose_parse_wavelengths(&j->excitation, state, "--excitation", arg); return 0;
  case KEY_SCATTER: decompose_parse_scatter(j, state, arg); return 0;
  case KEY_FILL:
    j->scatter.fill = (hed_eem_fill)tool_word(state, "--scatter-fill", arg, "mask,zero,interpolate");
    j->fill_given = true;
    return 0;
  case KEY_SHIFT: j->scatter.raman_shift = tool_number(state, "--raman-shift", arg, 500, 5000); return 0;
  case KEY_AXIS: j->about_files = "--axis"; decompose_parse_axis(j, state, arg); return 0;
  case KEY_CSV: j->about_files = "--csv"; j->csv = true; return 0;
  case KEY_MAP: j->about_files = "--map"; parse_map(j, state, arg); return 0;
  case KEY_JSON: j->json = true; return 0;
  case KEY_FORCE: j->force = true; return 0;
  case KEY_PICTURES: j->pictures = tool_word(state, "--pictures", arg, "png,svg,pdf"); return 0;
  case 'q': j->quiet = true; return 0;
  case 'o': j->prefix = arg; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argp_error(state, "unexpected argument '%s'", arg);
    j->path = arg;
    return 0;
  case ARGP_KEY_END:
    check(j, state);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp decompose_argp = {
  .options = options, .parser = parse, .args_doc = "FILE",
  .doc = "Decompose a tensor: an .npy file, an array of an .npz archive or of a .mat file, a .csv table, or a .tns list of "
         "entries, which stays a list (--cp, --tucker).\v"
         "On a terminal the error is shown sweep by sweep. Interrupted runs write nothing, but with --keep-partial. The manual says "
         "what the arrays in PREFIX.npz are."
};
