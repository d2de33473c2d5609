// SPDX-License-Identifier: BSD-3-Clause
/* The arguments of public functions, by what <heddle/reflect.h> says of them: kept, and given again. L3.
 *
 * Arrays are counted in this order: arguments, then those in keys, then those in options. Results: what is returned, arguments that
 * are arrays, then lists. */
#include "api/reflect.h"
#include "base/alloc.h"
#include "core/context/context.h"
#include "grad/call.h"
#include "program/program.h"
#include <heddle.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct invoked {
  hed_status (*call)(void *const *v, hed_array **made);
  const uint16_t *size; /* of the arguments */
} invoked;
#include "program/invoke.inc"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static bool pointer(const char *ctype) { return strchr(ctype, '*') != NULL; }
/* A new array comes through it, or several. */
static bool is_made(const hed_api_argument *a) { return is(a->role, "out") && is(a->ctype, "hed_array **"); }
static bool is_written(const hed_api_argument *a) { return is(a->ctype, "hed_array *"); }

static int64_t whole(const hed_api_argument *a, const void *p)
{
  return is(a->ctype, "int64_t") ? *(const int64_t *)p : *(const int32_t *)p;
}

/* Elements of the list K. */
static int64_t length(const hed_api_function *f, int k, const void *const *v)
{
  const hed_api_argument *list = &f->arguments[k];
  int64_t only = 0;
  for (int i = 0; i < f->n_arguments; i++)
    if (is(f->arguments[i].role, "count") && is(f->arguments[i].of, list->name))
      return whole(&f->arguments[i], v[i]);
  if (*list->length)
    return hed__api_length(f, list->length, v);
  for (int i = 0; i < f->n_arguments; i++)
    only = is(f->arguments[i].role, "count") ? whole(&f->arguments[i], v[i]) : only;
  return only;
}

static size_t element(const hed_api_argument *a)
{
  return is(a->kind, "slices") ? sizeof(hed_slice_range) : is(a->kind, "keys") ? sizeof(hed_key)
       : is(a->ctype, "const int32_t *") ? sizeof(int32_t) : sizeof(int64_t);
}

static const hed_api_struct *options(const char *type)
{
  const hed_api_struct *s = NULL;
  for (int k = 0; (s = hed_api_struct_at(k)) && !is(s->name, type); k++)
    ;
  return s;
}

/* The struct of argument K, when that is one that holds arrays or pointers; *AT: its address. */
static const hed_api_struct *struct_of(const hed_api_function *f, int k, void *const *v, char **at)
{
  const hed_api_argument *a = &f->arguments[k];
  *at = is(a->kind, "struct") && pointer(a->ctype) && !is(a->role, "out") ? *(char *const *)v[k] : NULL;
  return *at ? options(a->type) : NULL;
}

/* ---- arrays among the arguments ---- */

typedef void visit(void *state, const hed_array **at);

/* Each operand of F, in order. LISTS: its field that is a list of arrays has so many. */
static void operands(const hed_api_function *f, void *const *v, visit *each, void *state)
{
  char *at;
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    if (is(a->kind, "array") && !is(a->role, "out"))
      each(state, (const hed_array **)v[k]);
    else if (is(a->kind, "arrays") && is(a->role, "in") && *(void **)v[k])
      for (int64_t i = 0, n = length(f, k, (const void *const *)v); i < n; i++)
        each(state, &(*(const hed_array ***)v[k])[i]);
  }
  for (int k = 0; k < f->n_arguments; k++)
    if (is(f->arguments[k].kind, "keys") && *(void **)v[k])
      for (int64_t i = 0, n = length(f, k, (const void *const *)v); i < n; i++)
        each(state, &(*(hed_key **)v[k])[i].array);
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_struct *s = struct_of(f, k, v, &at);
    for (int i = 0; s && i < s->n_fields; i++) {
      const hed_api_field *q = &s->fields[i];
      if (is(q->kind, "array"))
        each(state, (const hed_array **)(void *)(at + q->offset));
      else if (is(q->kind, "arrays") && *(void **)(void *)(at + q->offset))
        for (int64_t j = 0, n = hed__api_length(f, q->length, (const void *const *)v); j < n; j++)
          each(state, &(*(const hed_array ***)(void *)(at + q->offset))[j]);
    }
  }
}

typedef struct list { const hed_array **array; int32_t n; } list;
static void add(void *state, const hed_array **at)
{
  list *l = state;
  if (l->array)
    l->array[l->n] = *at;
  l->n++;
}
static void replace(void *state, const hed_array **at)
{
  list *l = state;
  *at = l->array[l->n++];
}

/* ---- what stays of a call ---- */

/* Lists and options of the arguments V are copied by TAKE. False: without memory. */
typedef void *copier(void *state, const void *p, size_t size);
static bool deepen(const hed_api_function *f, const void *const *original, void **v, copier *copy, void *state)
{
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    void **p = v[k];
    char *at;
    if (!pointer(a->ctype) || is(a->role, "out") || is(a->kind, "array") || is(a->kind, "handle") || !*p)
      continue;
    if (is(a->kind, "string"))
      *p = copy(state, *p, strlen(*p) + 1);
    else if (is(a->kind, "axes"))
      *p = copy(state, *p, sizeof(hed_axes));
    else if (is(a->kind, "shape"))
      *p = copy(state, *p, sizeof(hed_shape));
    else if (is(a->kind, "struct"))
      *p = copy(state, *p, options(a->type)->size);
    else
      *p = copy(state, *p, (size_t)length(f, k, original) * element(a));
    if (!*p)
      return false;
    const hed_api_struct *s = struct_of(f, k, v, &at);
    for (int i = 0; s && i < s->n_fields; i++) {
      const hed_api_field *q = &s->fields[i];
      void **inner = (void **)(void *)(at + q->offset);
      if ((is(q->kind, "doubles") || is(q->kind, "arrays")) && *inner &&
          !(*inner = copy(state, *inner, (size_t)hed__api_length(f, q->length, original) * 8)))
        return false;
      if (is(q->kind, "struct") && *inner && !(*inner = copy(state, *inner, options(q->type)->size)))
        return false;
    }
  }
  return true;
}

static void *keep(void *state, const void *p, size_t size) { return hed__capture_copy(state, p, size); }

/* Does a program's own generator draw, or a stream that the function has begun itself? */
static bool check_random(hed__capture *c, const hed_api_function *f, const char *at, const char *type)
{
  const hed_random *r = (const hed_random *)(const void *)at;
  const hed_api_struct *s = options(type);
  if (is(type, "hed_random")) {
    if (r->generator)
      return hed__capture_fail(c, HED_E_PROGRAM, "program '%s': %s draws from a generator of the caller's, whose address would be "
                               "kept; hed_context_push_stream() makes it the stream in force", c->name, f->symbol + 4) == HED_OK;
    if (!r->seeded && hed__stream_in_force((hed__tls *)hed__self) != c->stream)
      return hed__capture_fail(c, HED_E_PROGRAM, "program '%s': %s draws from the stream of a context that was pushed inside; a seed "
                               "of its own, or the stream in force outside, can be used", c->name, f->symbol + 4) == HED_OK;
  }
  for (int i = 0; s && i < s->n_fields; i++)
    if (is(s->fields[i].type, "hed_random") && *(const char *const *)(const void *)(at + s->fields[i].offset) &&
        !check_random(c, f, *(const char *const *)(const void *)(at + s->fields[i].offset), "hed_random"))
      return false;
  return true;
}

/* Does the result of OP have a shape that elements decide? Of some others options say; those fail at a run that makes another. */
static bool shape_by_data(int op)
{
  switch (op) {
  case HED_OP_NONZERO: case HED_OP_NONZERO_AXES: case HED_OP_FLATNONZERO: case HED_OP_COMPRESS: case HED_OP_EXTRACT:
  case HED_OP_GET: case HED_OP_UNIQUE: case HED_OP_INTERSECT1D: case HED_OP_UNION1D: case HED_OP_SETDIFF1D:
  case HED_OP_SETXOR1D: case HED_OP_MAX_FILTER_COORDINATES: case HED_OP_FILTER_POINTS_INDICES: case HED_OP_PEAK_LOCAL_MAX:
  case HED_OP_FIND_PEAKS: return true;
  default: return false;
  }
}

static void check_shape(hed__capture *c, const hed__called *s)
{
  bool masks = false;
  if (!shape_by_data(s->op))
    return;
  for (int32_t k = 0; k < s->n_in; k++)
    masks = masks || (s->value[k] >= 0 && c->value[s->value[k]].array->view.dtype == HED_ID_BOOL);
  for (int32_t k = 0; k < s->n_in; k++) {
    const hed__captured *v = s->value[k] < 0 ? NULL : &c->value[s->value[k]];
    if (!v || v->depends == -1 || (masks ? v->array->view.dtype != HED_ID_BOOL : s->op == HED_OP_GET))
      continue;
    if (v->depends >= 0)
      hed__capture_fail(c, HED_E_PROGRAM, "program '%s': the shape of what %s gives depends on input %d", c->name, hed_op_name(s->op),
                        v->depends);
    else
      hed__capture_fail(c, HED_E_PROGRAM, "program '%s': the shape of what %s gives depends on what changes", c->name,
                        hed_op_name(s->op));
  }
}

/* Numbers that come out. */
static bool gives_numbers(const hed_api_function *f, const void *const *v)
{
  for (int k = 0; k < f->n_arguments; k++)
    if (is(f->arguments[k].role, "out") && !is_made(&f->arguments[k]) && !is_written(&f->arguments[k]) && *(void *const *)v[k])
      return true;
  return false;
}

void hed__call_captured(hed__call *call, int number, const void *const *argument, hed_array *made)
{
  hed__capture *c = call->t->capture;
  const hed_api_function *f = hed_api_function_at(number);
  const invoked *way = &invokes[number];
  const hed_array **in = NULL;
  hed_array **out = NULL;
  hed__called *s = NULL;
  int32_t n_out = made ? 1 : 0;
  bool in_place = false;
  if (c->status != HED_OK)
    return;
  void **v = hed__capture_take(c, (size_t)(f->n_arguments + 1) * sizeof *v);
  for (int k = 0; v && k < f->n_arguments; k++)
    if (!(v[k] = hed__capture_copy(c, argument[k], way->size[k])))
      return;
  if (!v || !deepen(f, argument, v, keep, c))
    return;
  for (int k = 0; k < f->n_arguments; k++) {
    char *at;
    const hed_api_struct *o = struct_of(f, k, v, &at);
    if (o && !check_random(c, f, at, o->name))
      return;
  }
  list l = { NULL, 0 };
  operands(f, v, add, &l);
  in = hed__capture_take(c, (size_t)l.n * sizeof *in);
  const int64_t lists = hed_api_results(f, argument);
  out = hed__capture_take(c, (size_t)(n_out + f->n_arguments + (lists > 0 ? lists : 0)) * sizeof *out);
  if (!in || !out)
    return;
  l = (list){ in, 0 };
  operands(f, v, add, &l);
  out[0] = made;
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    in_place = in_place || is_written(a);
    if (is_written(a))
      out[n_out++] = *(hed_array *const *)argument[k];
    else if (is(a->kind, "array") && is_made(a))
      out[n_out++] = *(hed_array **const *)argument[k] ? **(hed_array **const *)argument[k] : NULL;
  }
  for (int k = 0; k < f->n_arguments; k++)
    for (int64_t i = 0; is(f->arguments[k].kind, "arrays") && is_made(&f->arguments[k]) && i < lists; i++)
      out[n_out++] = *(hed_array **const *)argument[k] ? (*(hed_array **const *)argument[k])[i] : NULL;
  if (gives_numbers(f, argument))
    for (int32_t k = 0; k < l.n; k++) {
      const int32_t of = hed__capture_value(c, in[k]);
      if (of >= 0 && c->value[of].depends != -1)
        hed__capture_fail(c, HED_E_PROGRAM, c->value[of].depends >= 0 ? "program '%s': %s gives a number that depends on input %d"
                                                                       : "program '%s': %s gives a number that changes",
                          c->name, f->symbol + 4, c->value[of].depends);
    }
  if (n_out == 0 || !(s = hed__capture_call(c, HED__CALL_FUNCTION, call->note.op, l.n, in, n_out, out, in_place)))
    return;
  s->function = number;
  s->argument = v;
  check_shape(c, s);
  for (int k = 0; k < f->n_arguments; k++) /* the only kind of handle that operations take */
    if (is(f->arguments[k].kind, "handle"))
      hed_fft_plan_retain(*(hed_fft_plan **)v[k]);
}

/* ---- what differs ---- */

static const char *const reads[] = {
#define HED_READS(name, kind, what) #name "\0" what,
#include "core/ops/host_reads.def"
};
const char *hed__program_reads(int op)
{
  for (size_t k = 0; k < sizeof reads / sizeof *reads; k++)
    if (is(reads[k], hed_op_name(op)))
      return reads[k] + strlen(reads[k]) + 1;
  return NULL;
}

/* The value at P, of KIND and CTYPE. */
static void value_text(char text[static 40], const char *kind, const char *ctype, const void *p)
{
  if (is(kind, "scalar"))
    snprintf(text, 40, "%.17g", *(const double *)p);
  else if (is(kind, "bool"))
    snprintf(text, 40, "%s", *(const bool *)p ? "true" : "false");
  else if (is(ctype, "int64_t") || is(ctype, "uint64_t"))
    snprintf(text, 40, "%lld", (long long)*(const int64_t *)p);
  else if (is(kind, "int") || is(kind, "enum"))
    snprintf(text, 40, "%d", (int)*(const int32_t *)p);
  else if (is(kind, "dtype"))
    snprintf(text, 40, "%s", hed_dtype_name(*(hed_dtype const *)p));
  else if (is(kind, "axes") && ((const hed_axes *)p)->n == 1)
    snprintf(text, 40, "%d", (int)((const hed_axes *)p)->axis[0]);
  else
    snprintf(text, 40, "another");
}

static bool differs(char *text, size_t size, const char *name, const char *kind, const char *ctype, const void *was, const void *now)
{
  char values[2][40];
  value_text(values[0], kind, ctype, was);
  value_text(values[1], kind, ctype, now);
  if (is(values[1], "another"))
    snprintf(text, size, "%s is another", name);
  else
    snprintf(text, size, "%s was %s, is %s: give it as an input", name, values[0], values[1]);
  return false;
}

/* Shapes and axes have room behind what counts. */
static size_t counted(const char *kind, const void *p, size_t size)
{
  return is(kind, "shape")  ? offsetof(hed_shape, dim) + (size_t)((const hed_shape *)p)->ndim * sizeof(int64_t)
         : is(kind, "axes") ? offsetof(hed_axes, axis) + (size_t)((const hed_axes *)p)->n * sizeof *((const hed_axes *)p)->axis : size;
}

static bool same_fields(const hed_api_struct *s, const char *was, const char *now, char *text, size_t size)
{
  for (int i = 0; i < s->n_fields; i++) {
    const hed_api_field *q = &s->fields[i];
    const char *a = was + q->offset, *b = now + q->offset;
    if (!pointer(q->ctype) && !is(q->kind, "array") && memcmp(a, b, counted(q->kind, b, q->size)) != 0)
      return differs(text, size, q->name, q->kind, q->ctype, a, b);
  }
  return true;
}

bool hed__program_same_arguments(const hed__called *s, const hed__called *q, char *text, size_t size)
{
  const hed_api_function *f = hed_api_function_at(s->function);
  const void *const *lengths = (const void *const *)q->argument;
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    const void *was = s->argument[k], *now = q->argument[k];
    if (is(a->kind, "array") || is(a->kind, "arrays") || is(a->kind, "keys") || is(a->role, "out"))
      continue;
    const bool by_pointer = pointer(a->ctype) && !is(a->kind, "handle") && !is(a->kind, "dtype");
    size_t n = invokes[s->function].size[k];
    if (by_pointer) {
      was = *(void *const *)was;
      now = *(void *const *)now;
      if (!was || !now) {
        if (was != now)
          return differs(text, size, a->name, "", "", was, now);
        continue;
      }
      if (is(a->kind, "struct")) {
        if (!same_fields(options(a->type), was, now, text, size))
          return false;
        continue;
      }
      n = is(a->kind, "string") ? strlen(now) + 1 : is(a->kind, "axes") ? sizeof(hed_axes) : is(a->kind, "shape") ? sizeof(hed_shape)
          : (size_t)length(f, k, lengths) * element(a);
    }
    if (memcmp(was, now, counted(a->kind, now, n)) != 0)
      return differs(text, size, a->name, by_pointer ? "" : a->kind, by_pointer ? "" : a->ctype, was, now);
  }
  return true;
}

void hed__program_forget(const hed__called *s)
{
  const hed_api_function *f = s->function < 0 ? NULL : hed_api_function_at(s->function);
  for (int k = 0; f && k < f->n_arguments; k++)
    if (is(f->arguments[k].kind, "handle"))
      hed_fft_plan_release(*(hed_fft_plan **)s->argument[k]);
}

/* ---- the same call again ---- */

typedef struct copies { struct copies *next; _Alignas(16) char bytes[]; } copies;
static void *copied(void *state, const void *p, size_t size)
{
  copies **all = state, *q = hed__malloc(sizeof *q + size);
  if (!q)
    return NULL;
  q->next = *all;
  *all = q;
  memcpy(q->bytes, p, size);
  return q->bytes;
}

hed_status hed__program_invoke(const hed__called *s, const hed_array *const *in, hed_array **out)
{
  const hed_api_function *f = hed_api_function_at(s->function);
  const invoked *way = &invokes[s->function];
  void *v[16], *list_of[4];
  hed_array *cell[16], *made = NULL;
  copies *all = NULL;
  char dump[64];
  bool good = f->n_arguments <= 16;
  int32_t n_out = is(f->returns, "array") ? 1 : 0, lists = 0;
  for (int k = 0; k < f->n_arguments && good; k++) {
    good = (v[k] = copied(&all, s->argument[k], way->size[k])) != NULL;
    const hed_api_argument *a = &f->arguments[k];
    if (good && is_written(a) && is(a->role, "out"))
      *(hed_array **)v[k] = out[n_out];
    else if (good && is_made(a) && is(a->kind, "array") && *(void **)v[k]) {
      cell[k] = NULL;
      *(hed_array ***)v[k] = &cell[k];
    } else if (good && is(a->role, "out") && !is_written(a) && !is_made(a) && *(void **)v[k])
      *(void **)v[k] = dump;
    n_out += is_written(a) || (is_made(a) && is(a->kind, "array"));
  }
  good = good && deepen(f, (const void *const *)s->argument, v, copied, &all);
  for (int k = 0; k < f->n_arguments && good; k++)
    if (is(f->arguments[k].kind, "arrays") && is_made(&f->arguments[k]) && *(void **)v[k]) {
      *(void **)v[k] = list_of[lists++] = copied(&all, out, (size_t)(s->n_out + 1) * sizeof *out);
      good = *(void **)v[k] != NULL;
      if (good)
        memset(*(void **)v[k], 0, (size_t)(s->n_out + 1) * sizeof *out);
    }
  hed_status status = HED_E_NOMEM;
  if (!good) {
    hed_fail(HED_E_NOMEM, "%s: no memory for the arguments", f->symbol + 4);
  } else {
    list l = { (const hed_array **)(uintptr_t)in, 0 };
    operands(f, v, replace, &l);
    status = way->call(v, &made);
  }
  if (status == HED_OK) {
    int32_t j = 0;
    if (is(f->returns, "array"))
      out[j++] = made;
    for (int k = 0; k < f->n_arguments; k++)
      if (is_written(&f->arguments[k]))
        j++;
      else if (is(f->arguments[k].kind, "array") && is_made(&f->arguments[k]))
        out[j++] = *(void **)v[k] ? cell[k] : NULL;
    for (int i = 0; i < lists; i++)
      for (int32_t k = 0, n = (s->n_out - n_out) / lists; k < n; k++)
        out[j++] = ((hed_array **)list_of[i])[k];
  }
  for (copies *next; all; all = next) {
    next = all->next;
    hed__free(all);
  }
  return status;
}
