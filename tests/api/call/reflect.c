// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data: every function and operation is there, rows agree with ops.def, fields with the compiler, and
 * lists of results are as long as they say.
 */
#include "api.h"
#include <dlfcn.h>
#include <heddle/reflect.h>
#include <stddef.h>

static const hed_api_function *function(const char *symbol)
{
  const hed_api_function *f;
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++)
    if (strcmp(f->symbol, symbol) == 0)
      return f;
  bail("no function %s", symbol);
}

static const hed_api_argument *argument(const char *symbol, const char *name)
{
  const hed_api_function *f = function(symbol);
  for (int k = 0; k < f->n_arguments; k++)
    if (strcmp(f->arguments[k].name, name) == 0)
      return &f->arguments[k];
  bail("%s has no argument %s", symbol, name);
}

static const hed_api_struct *structure(const char *name)
{
  const hed_api_struct *s;
  for (int k = 0; (s = hed_api_struct_at(k)) != NULL; k++)
    if (strcmp(s->name, name) == 0)
      return s;
  return NULL;
}

static const hed_api_enum *enumeration(const char *name)
{
  const hed_api_enum *e;
  for (int k = 0; (e = hed_api_enum_at(k)) != NULL; k++)
    if (strcmp(e->name, name) == 0)
      return e;
  return NULL;
}

static bool one_of(const char *word, const char *list)
{
  const char *at = strstr(list, word);
  const size_t n = strlen(word);
  for (; at; at = strstr(at + 1, word))
    if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
      return true;
  return false;
}

/* ---- all of it ---- */

static void whole(void)
{
  bool form[HED_OP_COUNT_] = { false };
  const hed_api_function *f;
  int n = 0, absent = 0, odd = 0, unknown = 0;
  for (; (f = hed_api_function_at(n)) != NULL; n++) {
    if (!dlsym(RTLD_DEFAULT, f->symbol)) {
      diag("%s is not exported", f->symbol);
      absent++;
    }
    if (f->op >= 0)
      form[f->op] = true;
    for (int k = 0; k < f->n_arguments; k++) {
      const hed_api_argument *a = &f->arguments[k];
      if (!one_of(a->kind, "array arrays scalar int bool doubles ints shapes slices keys strings dtypes dtype shape axes string enum "
                           "struct handle data text stream callback") ||
          !one_of(a->role, "in out inout count user") || (strcmp(a->kind, "enum") == 0 && !enumeration(a->type)) ||
          (strcmp(a->kind, "struct") == 0 && !structure(a->type))) {
        diag("%s: %s is a %s %s of '%s'", f->symbol, a->name, a->role, a->kind, a->type);
        odd++;
      }
      if (a->initial && strcmp(a->kind, "array") == 0 && strcmp(a->initial, "null") != 0) {
        diag("%s: %s has the default %s", f->symbol, a->name, a->initial);
        odd++;
      }
      if (a->initial && strcmp(a->kind, "enum") == 0 && a->initial[0] == '"') {
        const hed_api_enum *e = enumeration(a->type);
        bool known = false;
        for (int i = 0; e && i < e->n_values; i++)
          known = known || (strlen(e->values[i].brief) + 2 == strlen(a->initial) &&
                            strncmp(e->values[i].brief, a->initial + 1, strlen(e->values[i].brief)) == 0);
        if (!known) {
          diag("%s: %s of %s is no default", f->symbol, a->initial, a->type);
          unknown++;
        }
      }
    }
  }
  ok(n > 700, "there are all functions (%d)", n);
  is_int(absent, 0, "each is a symbol");
  is_int(odd, 0, "each argument is of a known kind and role, with its type");
  is_int(unknown, 0, "and defaults of enumerations are values of theirs");
  ok(!hed_api_function_at(-1) && !hed_api_function_at(n), "none beyond the ends");
  int bare = 0;
  for (int op = 0; op < HED_OP_COUNT_; op++)
    if (!form[op] && op != HED_OP_RANDOM && op != HED_OP_FFT) {
      diag("%s has no function", hed_op_name(op));
      bare++;
    }
  is_int(bare, 0, "every operation has a function, but for two kernels behind others");
}

static int count_word(const char *args, const char *kind)
{
  int n = 0;
  const size_t length = strlen(kind);
  for (const char *at = strchr(args, ':'); at; at = strchr(at + 1, ':'))
    if (strncmp(at + 1, kind, length) == 0 && (at[length + 1] == ' ' || at[length + 1] == '\0'))
      n++;
  return n;
}

/* The operands that a row of ops.def has are those of its function; so are the results. */
static void agree_with_rows(void)
{
  const hed_api_function *f;
  hed_op_info op = { .struct_size = sizeof op };
  int wrong = 0, lists = 0, results = 0;
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++) {
    if (f->op < 0 || strcmp(f->form, "new") != 0 || hed_op_query(f->op, &op) != HED_OK)
      continue;
    int arrays = 0, several = 0;
    for (int i = 0; i < f->n_arguments; i++)
      if (strcmp(f->arguments[i].role, "out") != 0) {
        arrays += strcmp(f->arguments[i].kind, "array") == 0;
        several += strcmp(f->arguments[i].kind, "arrays") == 0;
      }
    if (arrays != count_word(op.args, "array") || several != count_word(op.args, "arrays")) {
      diag("%s has %d arrays, its row says %s", f->symbol, arrays, op.args);
      wrong++;
    }
    const bool list = strspn(f->results, "0123456789") != strlen(f->results);
    lists += list;
    if (!list && atoi(f->results) != op.results && strcmp(f->results, "0") != 0) {
      diag("%s has %s results, its row says %d", f->symbol, f->results, (int)op.results);
      results++;
    }
  }
  is_int(wrong, 0, "operands agree with the rows of ops.def");
  is_int(results, 0, "so do results");
  is_int(lists, 11, "eleven operations fill a list");
}

/* ---- single facts, as the headers have them ---- */

static void facts(void)
{
  const hed_api_argument *a = argument("hed_svd", "full_matrices");
  is_str(a->kind, "bool", "a bool");
  is_str(a->initial, "true", "with a default");
  ok(argument("hed_svd", "u")->nullable, "results that are not wanted may be NULL");
  is_str(argument("hed_svd", "u")->role, "out", "they come by pointer");
  is_str(function("hed_svd")->results, "3", "three of them");
  ok(!argument("hed_divmod", "quotient")->nullable, "where both are wanted they may not");
  is_str(argument("hed_set", "x")->role, "inout", "an array that changes in place");
  is_str(argument("hed_add_into", "out")->role, "out", "an array that is written");
  is_str(argument("hed_max_correlation", "rotations")->role, "inout", "running results");
  is_str(argument("hed_einsum", "n")->of, "operands", "a count names its list");
  is_str(argument("hed_fftn", "opt")->type, "hed_fft", "options name their struct");
  is_str(argument("hed_convolve", "mode")->type, "hed_convolve_mode", "an integer that is an enumerator");
  is_str(argument("hed_zeros", "t")->initial, "\"real\"", "a dtype's default");
  ok(!argument("hed_astype", "t")->initial, "and where there is none");
  is_str(function("hed_scalar_add_into")->form, "scalar_left_into", "forms of a family");
  is_int(function("hed_scalar_add_into")->op, HED_OP_ADD, "lead to their operation");
  is_str(function("hed_multiply_complex")->form, "complex_right", "complex ones too");
  is_int(function("hed_version")->op, -1, "a function that is no operation");
  is_str(function("hed_version")->returns, "value", "and what it returns");
  is_str(function("hed_version")->ctype, "const char *", "of which type");
  has_str(function("hed_hypot")->doc, "without overflow", "the row's text");
  has_str(function("hed_topk")->doc, "int64 indices", "the comment above");

  const hed_api_struct *s = structure("hed_fft");
  is_uint(s->size, sizeof(hed_fft), "a struct's size");
  is_int(s->n_fields, 3, "its fields");
  is_str(s->fields[2].name, "norm", "the last of them");
  is_uint(s->fields[2].offset, offsetof(hed_fft, norm), "where it is");
  is_str(s->fields[2].type, "hed_fft_norm", "what it is one of");
  s = structure("hed_gradient_options");
  is_uint(s->fields[1].count, HED_MAX_NDIM, "an array in a struct");
  is_uint(s->fields[1].size, HED_MAX_NDIM * sizeof(double), "takes so many bytes");
  s = structure("hed_tolerance");
  is_str(s->fields[1].name, "atol", "two fields of one declaration");
  is_str(s->fields[1].doc, s->fields[0].doc, "share their comment");
  ok(structure("hed_random") && structure("hed_generator"), "structs in structs");
  ok(!hed_api_struct_at(-1) && !structure("hed_affine_params"), "those of plug-ins are not there");

  const hed_api_enum *e = enumeration("hed_fft_norm");
  is_int(e->n_values, 3, "an enumeration");
  is_str(e->values[1].brief, "ortho", "brief names");
  is_int(e->values[1].value, HED_NORM_ORTHO, "values");
  is_int(enumeration("hed_boundary")->n_values, HED_BOUNDARY_COUNT_, "what counts them is none of them");
  ok(!hed_api_enum_at(-1), "none below the list");
}

/* ---- lists of results: the call fills so many elements, and none beyond ---- */

enum { MOST = 12 };
static hed_array *const guard = (hed_array *)(uintptr_t)64;
static hed_array *out[MOST];

static void filled(const char *symbol, const void *const *arguments, hed_status (*call)(void))
{
  for (int k = 0; k < MOST; k++)
    out[k] = guard;
  const int64_t n = hed_api_results(function(symbol), arguments);
  is_int(call(), HED_OK, "%s", symbol);
  int64_t made = 0;
  while (made < MOST && out[made] != guard)
    hed_release(out[made++]);
  is_int(n, made, "%s fills %d", symbol, (int)made);
}

static hed_array *x, *vectors[3];
static const hed_gradient_options all_axes, two_axes = { .axes = { 2, { 0, 2 } } };
static hed_status meshgrid(void) { return hed_meshgrid(3, (const hed_array *const *)vectors, true, false, out); }
static hed_status broadcast(void) { return hed_broadcast_arrays(2, (const hed_array *const *)vectors, out); }
static hed_status gradient(void) { return hed_gradient(x, NULL, out); }
static hed_status gradient_all(void) { return hed_gradient(x, &all_axes, out); }
static hed_status gradient_two(void) { return hed_gradient(x, &two_axes, out); }
static hed_status nonzero(void) { return hed_nonzero_axes(x, out); }
static hed_status unravel(void) { return hed_unravel_index(vectors[0], HED_SHAPE(2, 3, 4, 5), out); }
static hed_status sections(void) { return hed_split_sections(x, 2, 0, out); }
static hed_status parts(void) { return hed_array_split(x, 5, 0, out); }
static const int64_t places[3] = { 1, 2, 3 }, sizes[2] = { 1, 3 };
static hed_status at_indices(void) { return hed_split_indices(x, 3, places, 0, out); }
static hed_status by_sizes(void) { return hed_split_sizes(x, 2, sizes, 0, out); }
static hed_status frequencies(void) { return hed_fftfreqn_sparse(HED_SHAPE(4, 6), NULL, HED_REAL, out); }

static void lists(void)
{
  x = hed_ones(HED_SHAPE(4, 3, 2), HED_FLOAT64);
  for (int k = 0; k < 3; k++)
    vectors[k] = hed_arange_int(0, 3, 1, HED_INT64);
  const hed_array *const *list = (const hed_array *const *)vectors;
  const hed_array *first = vectors[0];
  const int n2 = 2, n3 = 3, n5 = 5;
  const int32_t axis = 0;
  const bool yes = true, no = false;
  hed_array **to = out;
  const void *opt = NULL;
  filled("hed_meshgrid", (const void *[]){ &n3, &list, &yes, &no, &to }, meshgrid);
  filled("hed_broadcast_arrays", (const void *[]){ &n2, &list, &to }, broadcast);
  filled("hed_gradient", (const void *[]){ &x, &opt, &to }, gradient);
  opt = &all_axes;
  filled("hed_gradient", (const void *[]){ &x, &opt, &to }, gradient_all);
  opt = &two_axes;
  filled("hed_gradient", (const void *[]){ &x, &opt, &to }, gradient_two);
  filled("hed_nonzero_axes", (const void *[]){ &x, &to }, nonzero);
  hed_shape shape = HED_SHAPE(2, 3, 4, 5);
  filled("hed_unravel_index", (const void *[]){ &first, &shape, &to }, unravel);
  filled("hed_split_sections", (const void *[]){ &x, &n2, &axis, &to }, sections);
  filled("hed_array_split", (const void *[]){ &x, &n5, &axis, &to }, parts);
  const int64_t *where = places;
  filled("hed_split_indices", (const void *[]){ &x, &n3, &where, &axis, &to }, at_indices);
  where = sizes;
  filled("hed_split_sizes", (const void *[]){ &x, &n2, &where, &axis, &to }, by_sizes);
  shape = HED_SHAPE(4, 6);
  hed_dtype t = HED_REAL;
  opt = NULL;
  filled("hed_fftfreqn_sparse", (const void *[]){ &shape, &opt, &t, &to }, frequencies);

  is_int(hed_api_results(function("hed_svd"), (const void *[]){ &x, &yes, &to, &to, &to }), 3, "a fixed number");
  is_int(hed_api_results(function("hed_add"), (const void *[]){ &x, &x }), 1, "of one");
  is_int(hed_api_results(function("hed_version"), NULL), 0, "of none");
  const hed_array *none = NULL;
  const int below = -1;
  API_FAIL((hed_status)hed_api_results(function("hed_nonzero_axes"), (const void *[]){ &none, &to }), HED_E_INVAL, "x is NULL");
  API_FAIL((hed_status)hed_api_results(function("hed_array_split"), (const void *[]){ &x, &below, &axis, &to }), HED_E_INVAL,
           "n is negative");
  API_FAIL((hed_status)hed_api_results(NULL, NULL), HED_E_INVAL, "f is NULL");
  API_FAIL((hed_status)hed_api_results(function("hed_add"), NULL), HED_E_INVAL, "arguments is NULL");
  hed_release(x);
  for (int k = 0; k < 3; k++)
    hed_release(vectors[k]);
}

int main(void)
{
  whole();
  agree_with_rows();
  facts();
  lists();
  done_testing();
  return done();
}
