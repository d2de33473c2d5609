// SPDX-License-Identifier: BSD-3-Clause
/* Writes <heddle/ops.hpp>, the operations for C++, from the table of the interface. Run when Heddle is built.
 *
 * Layer: L5. An operation becomes overloads of one function, its options a struct with setters. What takes handles of other
 * objects, callbacks or memory is left to the C interface.
 */
#include <ctype.h>
#include <heddle.h>
#include <heddle/reflect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static const char *plain(const char *name) { return strncmp(name, "hed_", 4) == 0 ? name + 4 : name; }

/* ---- options ---- */

static const hed_api_struct *structure(const char *name)
{
  const hed_api_struct *s;
  for (int k = 0; (s = hed_api_struct_at(k)) != NULL; k++)
    if (is(s->name, name))
      return s;
  return NULL;
}

/* Is S taken as options by an operation? */
static bool is_option(const char *name)
{
  const hed_api_function *f;
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++)
    for (int i = 0; f->op >= 0 && i < f->n_arguments; i++)
      if (is(f->arguments[i].kind, "struct") && is(f->arguments[i].type, name) && f->arguments[i].nullable)
        return true;
  return false;
}

static void write_setter(const hed_api_struct *s, const hed_api_field *f)
{
  const char *me = plain(s->name), *n = f->name;
  if (f->count > 1) {
    printf("  %s &%s(std::initializer_list<double> v)\n  {\n    std::size_t k = 0;\n    for (double d : v)\n"
           "      if (k < %u)\n        %s::%s[k++] = d;\n    return *this;\n  }\n", me, n, (unsigned)f->count, s->name, n);
    return;
  }
  const char *type = is(f->kind, "bool")                                 ? "bool v = true"
                     : is(f->kind, "axes")                               ? "const hed::axes &v"
                     : is(f->kind, "shape")                              ? "const hed::shape &v"
                     : is(f->kind, "array")                              ? "const array &v"
                     : is(f->kind, "scalar")                             ? "double v"
                     : is(f->kind, "int") && !strchr(f->ctype, '*')      ? "std::int64_t v"
                     : is(f->kind, "dtype")                              ? "hed_dtype v" : NULL;
  if (is(f->kind, "enum"))
    printf("  %s &%s(%s v) { %s::%s = v; return *this; }\n", me, n, f->type, s->name, n);
  else if (type && is(f->kind, "int"))
    printf("  %s &%s(%s) { %s::%s = %s(v); return *this; }\n", me, n, type, s->name, n, f->ctype);
  else if (type)
    printf("  %s &%s(%s) { %s::%s = v%s; return *this; }\n", me, n, type, s->name, n, is(f->kind, "array") ? ".get()" : "");
  else if (*f->ctype != 'F' && !is(f->kind, "callback"))
    printf("  %s &%s(%s v) { %s::%s = v; return *this; }\n", me, n, f->ctype, s->name, n);
}

static void write_options(void)
{
  const hed_api_struct *s;
  for (int k = 0; (s = hed_api_struct_at(k)) != NULL; k++) {
    if (!is_option(s->name))
      continue;
    const char *me = plain(s->name);
    printf("struct %s : %s {\n  %s() : %s() {}\n", me, s->name, me, s->name);
    for (int i = 0; i < s->n_fields; i++)
      write_setter(s, &s->fields[i]);
    printf("};\n\n");
  }
}

/* ---- functions ---- */

static const hed_api_argument *argument(const hed_api_function *f, const char *name)
{
  for (int k = 0; k < f->n_arguments; k++)
    if (is(f->arguments[k].name, name))
      return &f->arguments[k];
  return NULL;
}

/* An expression of the table without "or", in C++: a count becomes its list's size, a field one of the C struct. */
static void write_sum(const hed_api_function *f, const char *e, const char *end)
{
  for (const char *p = e; p < end;) {
    if (!islower((unsigned char)*p)) {
      putchar(*p++);
      continue;
    }
    char word[64];
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
    n = n < sizeof word - 1 ? n : sizeof word - 1;
    memcpy(word, p, n);
    word[n] = '\0';
    const hed_api_argument *a = argument(f, word);
    if (a && is(a->role, "count"))
      printf("std::int64_t(%s.size())", a->of);
    else if (a && p[n] == '.')
      printf("%s.%s::", word, a->type), n++;
    else if (a || (p > e && p[-1] == '.'))
      printf("%s", word);
    else
      printf("detail::%s", word);
    p += n;
  }
}

static void write_expression(const hed_api_function *f, const char *e)
{
  const char *other = strstr(e, " or ");
  if (other) {
    write_sum(f, e, other);
    printf(" ? ");
    write_sum(f, e, other);
    printf(" : ");
    e = other + 4;
  }
  write_sum(f, e, e + strlen(e));
}

static bool list_of_results(const hed_api_function *f)
{
  return strspn(f->results, "0123456789") != strlen(f->results);
}

static bool one_number(const hed_api_argument *a)
{
  return is(a->role, "out") && (is(a->ctype, "bool *") || is(a->ctype, "double *") || is(a->ctype, "int64_t *"));
}

/* Can F be said in C++ by this program? */
static bool speaks(const hed_api_function *f)
{
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    const char *kinds[] = { "handle", "data", "text", "stream", "callback", "shapes", "strings", "dtypes" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      if (is(a->kind, kinds[i]))
        return false;
    if (is(a->kind, "struct") && (!is(a->role, "in") || !is_option(a->type)))
      return false;
    const bool arrays = is(a->kind, "array") || is(a->kind, "arrays");
    if (is(a->role, "out") && !arrays && !(one_number(a) && !*a->length && is(f->results, "0")))
      return false;
    if ((is(a->kind, "doubles") || is(a->kind, "ints")) && is(a->role, "in") && !*a->length) {
      bool counted = false;
      for (int i = 0; i < f->n_arguments; i++)
        counted = counted || (is(f->arguments[i].role, "count") && is(f->arguments[i].of, a->name));
      if (!counted)
        return false;
    }
  }
  return true;
}

static bool is_parameter(const hed_api_function *f, const hed_api_argument *a)
{
  if (is(a->role, "count"))
    return false;
  return !is(a->role, "out") || strstr(f->form, "into");
}

/* The default of A as it stands in C++; false: none. */
static bool write_default(const hed_api_argument *a)
{
  if (!a->initial)
    return false;
  if (is(a->kind, "struct") || is(a->kind, "axes") || (is(a->kind, "array") && a->nullable))
    return printf(" = {}"), true;
  if (is(a->kind, "shape"))
    return printf(" = nullptr"), true;
  if (is(a->kind, "dtype"))
    return is(a->initial, "null") ? printf(" = nullptr") : is(a->initial, "\"real\"") ? printf(" = HED_REAL")
           : is(a->initial, "\"complex\"") ? printf(" = HED_COMPLEX") : is(a->initial, "\"uint64\"") ? printf(" = HED_UINT64")
           : is(a->initial, "\"int64\"") ? printf(" = HED_INT64") : 0;
  if (is(a->kind, "enum")) {
    const hed_api_enum *e;
    for (int k = 0; (e = hed_api_enum_at(k)) != NULL; k++)
      for (int i = 0; is(e->name, a->type) && i < e->n_values; i++)
        if (strncmp(a->initial + 1, e->values[i].brief, strlen(a->initial) - 2) == 0 &&
            strlen(e->values[i].brief) == strlen(a->initial) - 2)
          return printf(" = %s", e->values[i].name), true;
    return false;
  }
  return is(a->initial, "null") ? false : (printf(" = %s", a->initial), true);
}

static void write_parameter(const hed_api_function *f, const hed_api_argument *a, bool defaults)
{
  const char *n = a->name;
  if (is(a->kind, "array"))
    printf("%sarray &%s", is(a->role, "in") ? "const " : "", n);
  else if (is(a->kind, "arrays"))
    printf("const std::vector<array> &%s", n);
  else if (is(a->kind, "doubles"))
    printf("const std::vector<double> &%s", n);
  else if (is(a->kind, "ints"))
    printf("const std::vector<std::int64_t> &%s", n);
  else if (is(a->kind, "keys"))
    printf("const std::vector<hed_key> &%s", n);
  else if (is(a->kind, "slices"))
    printf("const std::vector<hed_slice_range> &%s", n);
  else if (is(a->kind, "axes"))
    printf("const hed::axes &%s", n);
  else if (is(a->kind, "shape"))
    printf(strchr(a->ctype, '*') ? "const hed::shape *%s" : "const hed::shape &%s", n);
  else if (is(a->kind, "struct"))
    printf("const hed::%s &%s", plain(a->type), n);
  else if (is(a->kind, "enum"))
    printf("%s %s", a->type, n);
  else if (is(a->kind, "string"))
    printf("const std::string &%s", n);
  else if (is(a->kind, "scalar") && (is(f->form, "scalar_left") || is(f->form, "scalar_right") ||
                                     is(f->form, "scalar_left_into") || is(f->form, "scalar_right_into")))
    printf("const scalar &%s", n);
  else
    printf("%s %s", a->ctype, n);
  if (defaults)
    (void)write_default(a);
}

/* Defaults count from where all that follow have one. */
static void write_parameters(const hed_api_function *f)
{
  int last = -1;
  for (int k = 0; k < f->n_arguments; k++)
    if (is_parameter(f, &f->arguments[k]) && !f->arguments[k].initial)
      last = k;
  bool first = true;
  for (int k = 0; k < f->n_arguments; k++)
    if (is_parameter(f, &f->arguments[k])) {
      if (!first)
        printf(", ");
      write_parameter(f, &f->arguments[k], k > last);
      first = false;
    }
}

static void write_call(const hed_api_function *f)
{
  printf("%s(", f->symbol);
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    const char *n = a->name;
    printf(k ? ", " : "");
    if (is(a->role, "count"))
      printf("%s(%s.size())", a->ctype, a->of);
    else if (is(a->role, "out") && is_parameter(f, a))
      printf("%s.get()", n);
    else if (is(a->role, "out") && is(a->kind, "arrays"))
      printf("list_.data()");
    else if (is(a->role, "out"))
      printf(is(a->kind, "array") ? "&%s_" : "&value_", n);
    else if (is(a->kind, "array"))
      printf("%s.get()", n);
    else if (is(a->kind, "arrays"))
      printf("detail::handles(%s).data()", n);
    else if (is(a->kind, "doubles") || is(a->kind, "ints") || is(a->kind, "keys") || is(a->kind, "slices"))
      printf("%s.data()", n);
    else if (is(a->kind, "axes"))
      printf(a->nullable ? "detail::given(%s)" : "&%s", n);
    else if (is(a->kind, "struct"))
      printf("&%s", n);
    else if (is(a->kind, "string"))
      printf("%s.c_str()", n);
    else
      printf("%s", n);
  }
  printf(")");
}

static void write_checks(const hed_api_function *f, bool nothing)
{
  for (int k = 0; k < f->n_arguments; k++) {
    const hed_api_argument *a = &f->arguments[k];
    if (!(is(a->kind, "doubles") || is(a->kind, "ints")) || !is(a->role, "in") || !*a->length)
      continue;
    printf("  if (!detail::enough(\"%s\", \"%s\", %s.size(), ", plain(f->symbol), a->name, a->name);
    write_expression(f, a->length);
    printf("))\n    return%s;\n", nothing ? "" : " {}");
  }
}

/* The body that returns what F makes. */
static void write_function(const hed_api_function *f, const char *name)
{
  const bool list = list_of_results(f);
  const int results = list ? 0 : atoi(f->results);
  const hed_api_argument *number = NULL;
  for (int k = 0; k < f->n_arguments; k++)
    if (one_number(&f->arguments[k]))
      number = &f->arguments[k];
  const bool nothing = is(f->returns, "status") && !list && !number && (!results || strstr(f->form, "into"));
  if (nothing) {
    printf("inline void ");
  } else if (is(f->returns, "status") && results > 1) {
    printf("struct %s_results {\n  array ", name);
    bool first = true;
    for (int k = 0; k < f->n_arguments; k++)
      if (is(f->arguments[k].role, "out")) {
        printf("%s%s", first ? "" : ", ", f->arguments[k].name);
        first = false;
      }
    printf(";\n};\ninline %s_results ", name);
  } else if (list) {
    printf("inline std::vector<array> ");
  } else if (is(f->returns, "array") || results == 1) {
    printf("inline array ");
  } else if (number) {
    printf("inline %.*s", (int)strlen(number->ctype) - 1, number->ctype);
  }
  printf("%s(", name);
  write_parameters(f);
  printf(")\n{\n");
  write_checks(f, nothing);
  if (nothing) {
    printf("  detail::check(");
    write_call(f);
    printf(");\n");
  } else if (is(f->returns, "array")) {
    printf("  return detail::take(");
    write_call(f);
    printf(");\n");
  } else if (list) {
    printf("  detail::results list_(");
    write_expression(f, f->results);
    printf(");\n  return list_.take(");
    write_call(f);
    printf(");\n");
  } else if (results) {
    for (int k = 0; k < f->n_arguments; k++)
      if (is(f->arguments[k].role, "out"))
        printf("  hed_array *%s_ = nullptr;\n", f->arguments[k].name);
    printf("  detail::check(");
    write_call(f);
    printf(");\n  return %s", results == 1 ? "array(" : "{ ");
    bool first = true;
    for (int k = 0; k < f->n_arguments; k++)
      if (is(f->arguments[k].role, "out")) {
        printf(results == 1 ? "%s%s_" : "%sarray(%s_)", first ? "" : ", ", f->arguments[k].name);
        first = false;
      }
    printf(results == 1 ? ");\n" : " };\n");
  } else if (number) {
    printf("  %.*svalue_{};\n  detail::check(", (int)strlen(number->ctype) - 1, number->ctype);
    write_call(f);
    printf(");\n  return value_;\n");
  }
  printf("}\n");
}

/* A form with a number on a side. */
static void write_scalar(const hed_api_function *f, const char *name)
{
  const bool left = strncmp(f->form, "scalar_left", 11) == 0, into = strstr(f->form, "_into") != NULL;
  const char *op = hed_op_name(f->op);
  printf("inline %s %s(", into ? "void" : "array", name);
  write_parameters(f);
  printf(") { %sdetail::%s%s(hed_%s%s, %s, ", into ? "" : "return ", left ? "left" : "right", into ? "_into" : "", op,
         into ? "_into" : "", f->symbol);
  for (int k = 0; k < f->n_arguments; k++)
    printf("%s%s", k ? ", " : "", f->arguments[k].name);
  printf("); }\n");
}

/* Of binary rows only: where() has such forms too, with arguments of other orders. */
static bool is_binary(int op)
{
  hed_op_info info = { .struct_size = sizeof info };
  return op >= 0 && hed_op_query(op, &info) == HED_OK && is(info.family, "binary");
}

static void write_named(const hed_api_function *f, const char *name, bool into)
{
  const bool scalar = strncmp(f->form, "scalar", 6) == 0 && is_binary(f->op);
  const bool writes = is(f->form, "into") || strstr(f->form, "_into") != NULL;
  if (writes != into || !speaks(f))
    return;
  if (scalar)
    write_scalar(f, name);
  else if (is(f->form, "new") || is(f->form, "into"))
    write_function(f, name);
}

/* Functions that are no operations but belong to them: those of the headers in ops/. */
static bool belongs(const hed_api_function *f)
{
  return f->op < 0 && strncmp(f->header, "heddle/ops/", 11) == 0 && (is(f->returns, "array") || is(f->returns, "status")) &&
         strstr(f->symbol, "_into") == NULL && strncmp(f->symbol, "hed_scalar", 10) != 0 && strncmp(f->symbol, "hed_fft_", 8) != 0 &&
         !is(f->symbol, "hed_index") && !is(f->symbol, "hed_from_doubles") && f->n_arguments > 0;
}

static void write_all(bool into)
{
  const hed_api_function *f;
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++) {
    const char *alias;
    if (f->op >= 0)
      write_named(f, hed_op_name(f->op), into);
    for (int i = 0; f->op >= 0 && (alias = hed_op_alias(f->op, i)) != NULL; i++)
      write_named(f, alias, into);
    if (!into && belongs(f) && speaks(f))
      write_function(f, plain(f->symbol));
  }
}

int main(void)
{
  printf("// SPDX-License-Identifier: BSD-3-Clause\n"
         "/* The operations for C++, made from the table of the interface: <heddle/heddle.hpp> includes it. */\n"
         "#include <heddle/heddle.hpp> // which includes this where it belongs\n"
         "#ifndef HEDDLE_OPS_HPP\n#define HEDDLE_OPS_HPP\n\nnamespace hed {\n\n");
  write_options();
  write_all(false);
  printf("\n/* Into existing arrays. */\nnamespace into {\n");
  write_all(true);
  printf("} // namespace into\n} // namespace hed\n\n#endif\n");
  return ferror(stdout) || fflush(stdout) ? 1 : structure("hed_reduce") ? 0 : 1;
}
