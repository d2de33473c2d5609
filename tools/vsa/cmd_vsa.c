// SPDX-License-Identifier: BSD-3-Clause
/* `heddle vsa': a classifier of rows of numbers by hypervectors, trained and applied, and the vectors themselves.
 *
 * Layer: L5. A row is the bundle of a role for each column bound to the level of its number; PREFIX.npz has the prototypes under the
 * classes' names, an item memory, PREFIX_ranges.npy the least and largest number of each column, and how many levels there are;
 * of encode PREFIX.npy has the vectors.
 */
#include "tools/emit.h"
#include "tools/picture/plot.h"
#include "tools/tool.h"
#include "tools/table.h"
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MODEL = 256, KEY_LABELS, KEY_LEVELS, KEY_EPOCHS, KEY_CLASSIFIER, KEY_FORCE, KEY_JSON, KEY_PICTURES, KEY_RANGES,
       KEY_COLUMNS };

typedef struct request {
  const char *does, *path, *labels, *spec, *classifier, *prefix, *ranges_path;
  long long levels, epochs, columns;
  int pictures;
  bool force, json;

  number_table t;
  double *ranges;         /* (3, columns): least, largest, levels   */
  hed_vsa *v;
  hed_vsa_encoder *encoder;
  hed_vsa_items *items;
  double *taken, *likeness; /* of each row: which item, how alike   */
  int64_t classes, *counts; /* counts[of][as]; NULL: no classes are known */
  int64_t right, wrong;     /* wrong: of the last epoch */
  hed_shape shape;          /* of what encode made, and its type */
  const char *type;
} request;

static const struct argp_option options[] = {
  { "output", 'o', "PREFIX", 0, "fit: write PREFIX.npz and PREFIX_ranges.npy; predict: PREFIX.csv and, with Cairo, PREFIX.png; "
    "encode: PREFIX.npy and PREFIX_ranges.npy", 0 },
  { "classifier", KEY_CLASSIFIER, "PREFIX", 0, "predict: what fit has written; encode: vectors as it has them", 0 },
  { "labels", KEY_LABELS, "FILE", 0, "Classes of the rows of an .npy: whole numbers in another", 0 },
  { "model", KEY_MODEL, "SPEC", 0, "fit, encode: the vectors, such as 'bsc;dim=4096;seed=1' (map;dim=10000)", 0 },
  { "levels", KEY_LEVELS, "N", 0, "fit, encode: levels of the numbers of a column (100)", 0 },
  { "ranges", KEY_RANGES, "FILE", 0, "encode: ranges and levels of the columns, which fit or encode has written (those of FILE)", 0 },
  { "columns", KEY_COLUMNS, "N", 0, "encode: numbers in a row of text, beside which there may be a class (as many as there are)", 0 },
  { "epochs", KEY_EPOCHS, "N", 0, "fit: times that what is wrong is learned again, at most (20)", 0 },
  { "pictures", KEY_PICTURES, "png|svg|pdf", 0, "What the picture is written as (png)", 0 },
  { "json", KEY_JSON, NULL, 0, "Summary as JSON (heddle.vsa/1)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { 0 }
};

/* What goes with what is to be done. */
static void check_request(const request *r, struct argp_state *state)
{
  const bool fits = strcmp(r->does, "fit") == 0, encodes = strcmp(r->does, "encode") == 0;
  if (!r->prefix && (fits || encodes))
    argp_error(state, "%s: -o PREFIX is missing", r->does);
  if (fits && r->classifier)
    argp_error(state, "--classifier goes with predict and encode");
  if (!encodes && (r->ranges_path || r->columns))
    argp_error(state, "--ranges and --columns go with encode");
  if (encodes && (r->epochs >= 0 || r->labels))
    argp_error(state, "--epochs and --labels do not go with encode");
  if (encodes && r->classifier && (r->spec || r->levels || r->ranges_path || r->columns))
    argp_error(state, "--classifier says what --model, --levels, --ranges and --columns do");
  if (encodes && r->ranges_path && (r->levels || r->columns))
    argp_error(state, "--ranges says what --levels and --columns do");
  if (!fits && !encodes && (!r->classifier || r->spec || r->levels || r->epochs >= 0))
    argp_error(state, r->classifier ? "--model, --levels and --epochs go with fit" : "predict: --classifier PREFIX is missing");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->prefix = arg; return 0;
  case KEY_CLASSIFIER: r->classifier = arg; return 0;
  case KEY_LABELS: r->labels = arg; return 0;
  case KEY_MODEL: r->spec = arg; return 0;
  case KEY_RANGES: r->ranges_path = arg; return 0;
  case KEY_COLUMNS: r->columns = tool_integer(state, "--columns", arg, 1, 1000000); return 0;
  case KEY_LEVELS: r->levels = tool_integer(state, "--levels", arg, 2, 1000000); return 0;
  case KEY_EPOCHS: r->epochs = tool_integer(state, "--epochs", arg, 0, 1000000); return 0;
  case KEY_PICTURES: r->pictures = tool_word(state, "--pictures", arg, "png,svg,pdf"); return 0;
  case KEY_JSON: r->json = true; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1)
      argp_error(state, "unexpected argument '%s'", arg);
    if (state->arg_num == 0)
      (void)tool_word(state, "vsa", r->does = arg, "fit,predict,encode");
    else
      r->path = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->path)
      argp_error(state, "fit, predict or encode, and FILE, are expected");
    else
      check_request(r, state);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* ---- vectors of rows ---- */

static hed_status make_encoder(request *r)
{
  const hed_vsa_level_options o = { .levels = (int64_t)r->ranges[2 * r->t.columns] };
  hed_vsa_encoder *levels = NULL;
  hed_status status = hed_vsa_encoder_level(r->v, &o, &levels);
  if (status == HED_OK)
    status = hed_vsa_encoder_vector(levels, r->t.columns, 0, &r->encoder);
  hed_vsa_encoder_release(levels);
  return status;
}

/* All rows, in shares of their columns' ranges; of the caller's scope. */
static hed_array *vectors(const request *r)
{
  const int64_t n = r->t.columns;
  double *u = malloc((size_t)(r->t.rows * n) * sizeof *u);
  hed_array *x = NULL;
  if (!u)
    (void)hed_fail(HED_E_NOMEM, "no memory for %lld rows", (long long)r->t.rows);
  for (int64_t i = 0; u && i < r->t.rows * n; i++) {
    const double low = r->ranges[i % n], width = r->ranges[n + i % n] - low;
    u[i] = width > 0 ? (r->t.x[i] - low) / width : 0;
  }
  if (u)
    x = hed_from_doubles(u, HED_SHAPE(r->t.rows, n), HED_FLOAT32);
  free(u);
  return x ? hed_vsa_encode(r->encoder, x) : NULL;
}

/* ---- fit ---- */

static hed_status take_ranges(request *r)
{
  const int64_t n = r->t.columns;
  if (!(r->ranges = malloc((size_t)(3 * n) * sizeof *r->ranges)))
    return hed_fail(HED_E_NOMEM, "no memory for %lld columns", (long long)n);
  for (int64_t k = 0; k < n; k++) {
    r->ranges[k] = r->ranges[n + k] = r->t.x[k];
    r->ranges[2 * n + k] = (double)(r->levels ? r->levels : 100);
  }
  for (int64_t i = 0; i < r->t.rows * n; i++) {
    r->ranges[i % n] = fmin(r->ranges[i % n], r->t.x[i]);
    r->ranges[n + i % n] = fmax(r->ranges[n + i % n], r->t.x[i]);
  }
  return HED_OK;
}

/* NAMES, in the order in which they come, borrowed; NUMBER[i]: that of row i's. */
static int64_t number_classes(const number_table *t, const char **names, double *number)
{
  int64_t n = 0;
  for (int64_t i = 0; i < t->rows; i++) {
    int64_t k = 0;
    while (k < n && strcmp(names[k], t->class_of[i]) != 0)
      k++;
    if (k == n)
      names[n++] = t->class_of[i];
    number[i] = (double)k;
  }
  return n;
}

static hed_status save_ranges(const request *r, const char *path)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *ranges = hed_from_doubles(r->ranges, HED_SHAPE(3, r->t.columns), HED_FLOAT64);
    status = ranges ? hed_save_npy(path, ranges) : hed_error();
  }
  return status;
}

static hed_status learn(request *r, const char *const *names, const double *number)
{
  hed_vsa_classifier *c = NULL;
  hed_status status = hed_vsa_classifier_create(r->v, r->classes, NULL, &c);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *x = status == HED_OK ? vectors(r) : NULL;
    hed_array *wide = x ? hed_from_doubles(number, HED_SHAPE(r->t.rows), HED_INT64) : NULL;
    if (status == HED_OK)
      status = wide ? hed_vsa_classifier_fit(c, x, wide) : hed_error();
    if (status == HED_OK && r->epochs > 0)
      status = hed_vsa_classifier_retrain(c, x, wide, r->epochs, 1, &r->wrong);
    hed_array *prototypes = status == HED_OK ? hed_vsa_classifier_prototypes(c) : NULL;
    if (status == HED_OK)
      status = prototypes ? hed_vsa_items_create(r->v, &r->items) : hed_error();
    if (status == HED_OK)
      status = hed_vsa_items_add(r->items, (int)r->classes, names, prototypes);
  }
  hed_vsa_classifier_release(c);
  return status;
}

static hed_status fit(request *r, outputs *o)
{
  hed_status status = number_table_read(r->path, r->labels, 0, &r->t);
  if (status == HED_OK && !r->t.class_of)
    status = hed_fail(HED_E_INVAL, "'%s' has no classes; --labels FILE.npy has those of an array", r->path);
  if (status == HED_OK)
    status = hed_vsa_by_name(r->spec ? r->spec : "map;dim=10000", &r->v);
  if (status == HED_OK)
    status = take_ranges(r);
  if (status == HED_OK)
    status = make_encoder(r);
  const char **names = status == HED_OK ? calloc((size_t)r->t.rows, sizeof *names) : NULL;
  double *number = names ? malloc((size_t)r->t.rows * sizeof *number) : NULL;
  if (status == HED_OK && !number)
    status = hed_fail(HED_E_NOMEM, "no memory for %lld rows", (long long)r->t.rows);
  if (status == HED_OK) {
    r->classes = number_classes(&r->t, names, number);
    if (r->epochs < 0)
      r->epochs = 20;
    status = learn(r, names, number);
  }
  free(names);
  free(number);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK)
    status = hed_vsa_items_save(r->items, outputs_name(o, 0));
  return status == HED_OK ? save_ranges(r, outputs_name(o, 1)) : status;
}

/* ---- predict ---- */

/* Ranges of a file, and the rows of as many columns. */
static hed_status read_ranges(request *r, const char *path)
{
  hed_array *x = hed_load_npy(path);
  hed_status status = x ? HED_OK : hed_error();
  const hed_shape s = hed_array_shape(x);
  if (status == HED_OK && (s.ndim != 2 || s.dim[0] != 3 || s.dim[1] < 1))
    status = hed_fail(HED_E_FORMAT, "'%s' does not have three rows", path);
  if (status == HED_OK && !(r->ranges = malloc((size_t)(3 * s.dim[1]) * sizeof *r->ranges)))
    status = hed_fail(HED_E_NOMEM, "no memory for %lld columns", (long long)s.dim[1]);
  if (status == HED_OK)
    status = hed_tolist(x, r->ranges, 3 * s.dim[1]);
  if (status == HED_OK && !(r->ranges[2 * s.dim[1]] >= 2 && r->ranges[2 * s.dim[1]] <= 1e6))
    status = hed_fail(HED_E_FORMAT, "'%s' has %g levels", path, r->ranges[2 * s.dim[1]]);
  if (status == HED_OK)
    status = number_table_read(r->path, r->labels, s.dim[1], &r->t);
  hed_release(x);
  return status;
}

static hed_status load(request *r)
{
  char *items = NULL, *ranges = NULL;
  hed_status status = asprintf(&items, "%s.npz", r->classifier) < 0 || asprintf(&ranges, "%s_ranges.npy", r->classifier) < 0
                          ? hed_fail(HED_E_NOMEM, "no memory for names") : hed_vsa_items_load(items, NULL, &r->items);
  if (status == HED_OK)
    status = read_ranges(r, ranges);
  if (status == HED_OK) {
    r->v = hed_vsa_retain(hed_vsa_items_model(r->items));
    r->classes = hed_vsa_items_count(r->items);
    status = make_encoder(r);
  }
  free(items);
  free(ranges);
  return status;
}

/* How often rows of each class were taken for each. */
static hed_status compare(request *r)
{
  if (!r->t.class_of)
    return HED_OK;
  if (!(r->counts = calloc((size_t)(r->classes * r->classes), sizeof *r->counts)))
    return hed_fail(HED_E_NOMEM, "no memory for %lld classes", (long long)r->classes);
  for (int64_t i = 0; i < r->t.rows; i++) {
    const int64_t of = hed_vsa_items_find(r->items, r->t.class_of[i]);
    if (of < 0)
      return hed_fail(HED_E_INVAL, "row %lld of '%s' is of class '%s', which the classifier has not seen", (long long)i, r->path,
                      r->t.class_of[i]);
    r->counts[of * r->classes + (int64_t)r->taken[i]]++;
    r->right += of == (int64_t)r->taken[i];
  }
  return HED_OK;
}

static hed_status write_rows(const request *r, outputs *o)
{
  FILE *f = fopen(outputs_name(o, 0), "w");
  bool good = f && fprintf(f, "class,similarity\n") > 0;
  for (int64_t i = 0; good && i < r->t.rows; i++)
    good = fprintf(f, "%s,%.6g\n", hed_vsa_items_label(r->items, (int64_t)r->taken[i]), r->likeness[i]) > 0;
  good = f && fclose(f) == 0 && good;
  return good ? HED_OK : hed_fail(HED_E_IO, "cannot write '%s'", o->final[0]);
}

/* The counts as greys, darker for a larger share of a class. */
static hed_status draw(const request *r, const char *path)
{
  const int64_t n = r->classes, zoom = n < 4 ? 80 : n < 12 ? 40 : n < 200 ? 8 : 1;
  const double size = (double)(n * zoom), edge = 110;
  uint8_t *greys = malloc((size_t)(n * n));
  plot p;
  if (!greys)
    return hed_fail(HED_E_NOMEM, "no memory for a picture of %lld classes", (long long)n);
  for (int64_t i = 0; i < n; i++) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++)
      sum += r->counts[i * n + k];
    for (int64_t k = 0; k < n; k++)
      greys[i * n + k] = (uint8_t)(255 - (sum ? 215 * r->counts[i * n + k] / sum : 0));
  }
  hed_status status = plot_begin(&p, "vsa", path, size + edge + 20, size + 80, PLOT_WHITE);
  if (status == HED_OK) {
    status = plot_greys(&p, edge, 60, n, n, (double)zoom, (double)zoom, greys);
    plot_text(&p, edge, 20, 0, 0.5, PLOT_SIZE, PLOT_BLACK, "rows: the class; columns: taken for");
    for (int64_t i = 0; i < n && zoom >= 40; i++) {
      const double middle = ((double)i + 0.5) * (double)zoom;
      char text[40];
      plot_text(&p, edge - 8, 60 + middle, 1, 0.5, PLOT_SIZE, PLOT_BLACK, hed_vsa_items_label(r->items, i));
      plot_text(&p, edge + middle, 46, 0.5, 0.5, PLOT_SIZE, PLOT_BLACK, hed_vsa_items_label(r->items, i));
      for (int64_t k = 0; k < n; k++) {
        snprintf(text, sizeof text, "%lld", (long long)r->counts[i * n + k]);
        plot_text(&p, edge + ((double)k + 0.5) * (double)zoom, 60 + middle, 0.5, 0.5, PLOT_SIZE,
                  greys[i * n + k] < 128 ? PLOT_WHITE : PLOT_BLACK, text);
      }
    }
    status = plot_end(&p, status);
  }
  free(greys);
  return status;
}

static hed_status predict(request *r, outputs *o)
{
  hed_status status = load(r);
  r->taken = status == HED_OK ? malloc((size_t)(2 * r->t.rows) * sizeof *r->taken) : NULL;
  if (status == HED_OK && !r->taken)
    status = hed_fail(HED_E_NOMEM, "no memory for %lld rows", (long long)r->t.rows);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *x = status == HED_OK ? vectors(r) : NULL, *index = NULL, *similarity = NULL;
    if (status == HED_OK)
      status = x ? hed_vsa_items_query(r->items, x, 1, -INFINITY, &index, &similarity) : hed_error();
    if (status == HED_OK) {
      r->likeness = r->taken + r->t.rows;
      status = hed_tolist(index, r->taken, r->t.rows);
    }
    if (status == HED_OK)
      status = hed_tolist(similarity, r->likeness, r->t.rows);
  }
  if (status == HED_OK)
    status = compare(r);
  if (status == HED_OK && !r->counts && o->n > 1) /* nothing to draw */
    free(o->final[--o->n]);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK && o->n > 0)
    status = write_rows(r, o);
  if (status == HED_OK && o->n > 1)
    status = draw(r, outputs_name(o, 1));
  return status;
}

/* ---- encode ---- */

static hed_status encode(request *r, outputs *o)
{
  hed_status status = r->classifier ? load(r) : r->ranges_path ? read_ranges(r, r->ranges_path)
                      : number_table_read(r->path, NULL, r->columns ? r->columns : TABLE_OF_NUMBERS, &r->t);
  if (status == HED_OK && !r->classifier)
    status = hed_vsa_by_name(r->spec ? r->spec : "map;dim=10000", &r->v);
  if (status == HED_OK && !r->ranges)
    status = take_ranges(r);
  if (status == HED_OK && !r->encoder)
    status = make_encoder(r);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *x = status == HED_OK ? vectors(r) : NULL;
    if (status == HED_OK)
      status = x ? outputs_open(o) : hed_error();
    if (status == HED_OK) {
      r->shape = hed_array_shape(x);
      r->type = hed_dtype_name(hed_array_dtype(x));
      status = hed_save_npy(outputs_name(o, 0), x);
    }
  }
  return status == HED_OK ? save_ranges(r, outputs_name(o, 1)) : status;
}

/* ---- what is said ---- */

static void report_text(const request *r)
{
  const int64_t n = r->classes;
  if (r->type) {
    printf("%lld rows of %lld numbers, vectors of", (long long)r->t.rows, (long long)r->t.columns);
    for (int i = 1; i < r->shape.ndim; i++)
      printf("%s%lld", i > 1 ? " x " : " ", (long long)r->shape.dim[i]);
    printf(" elements of %s\n", r->type);
    return;
  }
  if (strcmp(r->does, "fit") == 0) {
    printf("%lld rows of %lld numbers, %lld classes, %lld wrong in the last epoch\n", (long long)r->t.rows, (long long)r->t.columns,
           (long long)n, (long long)r->wrong);
    return;
  }
  if (!r->counts)
    for (int64_t i = 0; i < r->t.rows; i++)
      printf("%s  %.4f\n", hed_vsa_items_label(r->items, (int64_t)r->taken[i]), r->likeness[i]);
  else
    printf("%lld of %lld right, %.2f %%\n", (long long)r->right, (long long)r->t.rows, 100 * (double)r->right / (double)r->t.rows);
  for (int64_t i = 0; r->counts && i < n; i++) {
    printf("%-16s", hed_vsa_items_label(r->items, i));
    for (int64_t k = 0; k < n; k++)
      printf(" %6lld", (long long)r->counts[i * n + k]);
    printf("\n");
  }
}

static int report_json(const request *r, const outputs *o)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.vsa/1");
  emit_string(&e, "input", r->path);
  emit_int(&e, "rows", r->t.rows);
  emit_int(&e, "columns", r->t.columns);
  if (r->type) {
    emit_array(&e, "shape");
    for (int i = 0; i < r->shape.ndim; i++)
      emit_int(&e, NULL, r->shape.dim[i]);
    emit_array_end(&e);
    emit_string(&e, "dtype", r->type);
  }
  emit_array(&e, "classes");
  for (int64_t i = 0; i < r->classes; i++)
    emit_string(&e, NULL, hed_vsa_items_label(r->items, i));
  emit_array_end(&e);
  if (r->counts)
    emit_number(&e, "accuracy", (double)r->right / (double)r->t.rows);
  if (r->counts) {
    emit_array(&e, "confusion");
    for (int64_t i = 0; i < r->classes; i++) {
      emit_array(&e, NULL);
      for (int64_t k = 0; k < r->classes; k++)
        emit_int(&e, NULL, r->counts[i * r->classes + k]);
      emit_array_end(&e);
    }
    emit_array_end(&e);
  }
  emit_array(&e, "predictions");
  for (int64_t i = 0; r->taken && i < r->t.rows; i++)
    emit_string(&e, NULL, hed_vsa_items_label(r->items, (int64_t)r->taken[i]));
  emit_array_end(&e);
  emit_array(&e, "files");
  for (int i = 0; i < o->n; i++)
    emit_string(&e, NULL, o->final[i]);
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "fit FILE -o PREFIX\npredict FILE --classifier PREFIX\nencode FILE -o PREFIX",
    .doc = "Classify rows of numbers by hypervectors, or make these.\v"
           "FILE is text with commas, whose last column is the class, or an .npy with --labels. predict counts what each class was "
           "taken for where the rows have classes, and lists what each row was taken for where they have none. encode writes the "
           "vectors of the rows; a last column that is no number is left out."
  };
  static const char *const fitted[] = { ".npz", "_ranges.npy" }, *const predicted[] = { ".csv", ".png" },
                    *const encoded[] = { ".npy", "_ranges.npy" };
  request r = { .epochs = -1 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  (void)tool_backend(&code);
  o.force = r.force;
  o.pictures = r.pictures;
  const bool fits = strcmp(r.does, "fit") == 0, encodes = strcmp(r.does, "encode") == 0;
  if (code == 0 && r.prefix)
    code = outputs_plan(&o, r.prefix, fits || encodes || plot_available() ? 2 : 1, fits ? fitted : encodes ? encoded : predicted, 3,
                        (const char *const[]){ r.path, r.labels, r.ranges_path });
  if (code == 0) {
    const hed_status status = fits ? fit(&r, &o) : encodes ? encode(&r, &o) : predict(&r, &o);
    code = status == HED_OK ? outputs_commit(&o) : tool_fail_status(status);
  }
  if (code == 0 && r.json)
    code = report_json(&r, &o);
  else if (code == 0)
    report_text(&r);
  outputs_close(&o);
  number_table_clear(&r.t);
  hed_vsa_items_release(r.items);
  hed_vsa_encoder_release(r.encoder);
  hed_vsa_release(r.v);
  free(r.ranges);
  free(r.taken);
  free(r.counts);
  return code;
}

const tool_command cmd_vsa = { "vsa", "rows of numbers classified by hypervectors", run_command };
