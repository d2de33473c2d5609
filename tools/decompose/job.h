// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle decompose` was asked for and what came out, between its files.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_DECOMPOSE_JOB_H
#define HEDDLE_TOOLS_DECOMPOSE_JOB_H
#include "tools/progress.h"
#include "tools/tool.h"
#include <heddle/kits/gcp.h>
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_eem.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_sparse.h>
#include <heddle/kits/tensor_train.h>

typedef enum decompose_kind { KIND_NONE, KIND_CP, KIND_TUCKER, KIND_TT, KIND_PARAFAC2, KIND_ROBUST,
  KIND_COMPARE, KIND_COUNT } decompose_kind;

/* Names in --json, the same as the options'. */
extern const char *const decompose_names[KIND_COUNT];

/* What speaks for a decomposition, as far as it was asked for. */
typedef struct decompose_checks {
  double *alone, *unique, *halves; /* per component, one block */
  hed_array *congruence, *leverage[HED_MAX_NDIM], *residuals[HED_MAX_NDIM], *knife[HED_MAX_NDIM];
} decompose_checks;

/* Where wavelengths are: "1:em.txt". */
typedef struct decompose_wavelengths {
  const char *path; /* NULL: not given */
  int axis;
} decompose_wavelengths;

/* What stands along a mode: "1=em.txt:nm". */
typedef struct decompose_axis {
  char *path;       /* NULL: not given                                    */
  const char *name; /* NULL: the mode's number                            */
  const char *unit; /* "": none                                           */
  double *value;    /* N of them, once they are read                      */
  int64_t n;
  int direction;    /* 1: each is above the one before, -1: below, 0: neither */
  double origin;    /* pictures have what is beyond it                     */
} decompose_axis;

typedef struct decompose_job {
  const char *path, *name, *mask_path, *prefix, *compare_path;
  const char *about_files;  /* an option that says what is written how; NULL: none */
  decompose_kind kind;
  hed_shape ranks;          /* as given; CP and PARAFAC2: the first      */
  double eps;               /* trains: relative error                    */
  int pictures;             /* as outputs has it */
  bool nonnegative, missing_nan, init_given, keep_partial, json, force, quiet, csv;
  hed_cp_start init;
  hed_prox_options constraint[HED_MAX_NDIM]; /* of each mode             */
  int constrained;          /* the last mode that has one, and 1         */
  long long restarts, sweeps, scan_low, scan_high; /* scan_high 0: no scan */
  uint64_t seed;
  double tol;
  int loss;                 /* hed_gcp_loss; -1: squares by ALS          */
  double parameter;         /* of it                                     */
  bool diagnose;
  hed_shape fold;           /* of a table, as given; ndim 0: a matrix    */
  decompose_axis axis[HED_MAX_NDIM];
  int map[2];               /* modes down and across; both the same: not given */
  decompose_wavelengths emission, excitation;
  hed_eem_options scatter;  /* all widths 0: nothing is taken out        */
  bool fill_given;
  int split_axis, knife_axis; /* -1: none                                */
  decompose_checks checks;

  hed_array *x, *mask;
  hed_coo coo;              /* of a .tns file, in place of X             */
  int32_t n_slices;
  hed_array **slice;        /* PARAFAC2: what X is for the others        */
  progress bar;

  hed_cp cp;
  hed_tucker tucker;
  hed_tt tt;
  hed_parafac2 parafac2;
  hed_array *low, *sparse;
  hed_fit fit;
  double *scan_error, *scan_consistency; /* per rank of a scan           */
  double noise;             /* the share of noise that a component explains */
  int scanned;
} decompose_job;

extern const struct argp decompose_argp;

/* Whether its name says that the file is an archive of arrays with names, .npz; or a list of entries, .tns; or a table, .csv. */
bool decompose_is_archive(const char *path);
bool decompose_has_names(const char *path); /* or a .mat file */
bool decompose_is_list(const char *path);
bool decompose_is_table(const char *path);
/* Inputs into J; the decomposition, or the scan; the result into the file PATH. */
hed_status decompose_read(decompose_job *j);
hed_status decompose_run(decompose_job *j);
hed_status decompose_save(const decompose_job *j, const char *path);
/* "rayleigh:10,raman:8" and "1:em.txt" into J; another text is a usage error. */
void decompose_parse_scatter(decompose_job *j, struct argp_state *state, const char *text);
void decompose_parse_wavelengths(decompose_wavelengths *w, struct argp_state *state, const char *option, const char *text);
/* What goes with what of these options. */
void decompose_check_scatter(const decompose_job *j, struct argp_state *state);
/* X without scatter. */
hed_status decompose_remove_scatter(decompose_job *j);
/* Numbers of an .npy; text is HED_E_FORMAT. */
hed_array *decompose_load_npy(const char *path);
/* A text of numbers with commas, empty or NaN where they are not known, as an array of two axes. */
hed_array *decompose_read_table(const char *path);
/* "1=em.txt:nm" into J, and what goes with it; another text is a usage error. */
void decompose_parse_axis(decompose_job *j, struct argp_state *state, const char *text);
void decompose_check_axes(const decompose_job *j, struct argp_state *state);
/* The values of axes, of X or the slices; HED_E_AXIS, HED_E_SHAPE, and what is wrong with a file. */
hed_status decompose_read_axes(decompose_job *j);
void decompose_axes_clear(decompose_job *j);
/* "emission (nm)", "mode 1 (min)", "mode 1: index"; of a picture with the origin, "mode 1 - 1700000000 (s)". */
void decompose_axis_title(const decompose_job *j, int k, bool picture, char *text, size_t room);
void decompose_print_axes(const decompose_job *j);
/* Of the scope; NULL after an error. */
hed_array *decompose_wavelengths_of(const decompose_job *j, const decompose_wavelengths *w);
/* Modes of what is decomposed, and how many slices one has: -1 where PARAFAC2's slices have other rows each. */
int decompose_order(const decompose_job *j);
int64_t decompose_extent(const decompose_job *j, int k);
/* What came out: a mode's factor (NULL: it has none, or evolves), weights (NULL: all 1), percent of the squares for an error. */
const hed_array *decompose_factor(const decompose_job *j, int k);
const hed_array *decompose_weights(const decompose_job *j);
double decompose_explained(double error);
/* Tables as text: whether there can be some, their names behind those in O, 0 or an exit status; all of them, from number FIRST. */
hed_status decompose_check_tables(const decompose_job *j);
int decompose_plan_tables(const decompose_job *j, outputs *o);
hed_status decompose_write_tables(const decompose_job *j, outputs *o, int first);
/* "0:nonnegative,2:box:0:1" into J; another text is a usage error. */
void decompose_parse_constraint(decompose_job *j, struct argp_state *state, const char *text);
/* HED_E_AXIS where a tensor of ORDER does not have the modes. */
hed_status decompose_check_constraint(const decompose_job *j, int order);
/* Whether a constraint is about how large columns are, which are left as they are then. */
bool decompose_keeps_sizes(const decompose_job *j);
/* How a CP is looked for. */
hed_cp_options decompose_cp_options(decompose_job *j);
/* Where X is known, of the scope; NULL: everywhere, or after an error. */
hed_array *decompose_known(const decompose_job *j);
/* The checks that were asked for; as text, into a document. */
hed_status decompose_check(decompose_job *j);
void decompose_print_checks(const decompose_job *j);
struct emit;
void decompose_emit_checks(const decompose_job *j, struct emit *e);
void decompose_emit_axes(const decompose_job *j, struct emit *e);
/* The numbers of X in C order, from malloc(); NULL when memory is out. Those of X, of one axis or two, as arrays; those of N arrays,
 * null where there is none. */
double *decompose_numbers(const hed_array *x);
void decompose_emit_numbers(struct emit *e, const char *key, const hed_array *x);
void decompose_emit_modes(struct emit *e, const char *key, hed_array *const *x, int n);
void decompose_checks_clear(decompose_checks *c);
/* The rank where a scan advises to stop: of those before the first with a core consistency below 60 the lowest beyond which none
 * explains a larger share of what is left than components of noise alone; 0: none. *LITTLE (may be NULL): whether it is
 * not the last. */
long long decompose_advice(const decompose_job *j, bool *little);
/* How alike the components of two decompositions are that were written: all of it, to the exit status. */
int decompose_compare(const decompose_job *j);
/* Fit curve, factor profiles, maps and checks, or the scan, as a picture. */
hed_status decompose_draw(const decompose_job *j, const char *path);

#endif
