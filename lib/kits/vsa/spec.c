// SPDX-License-Identifier: BSD-3-Clause
/* Models from text.
 *
 * Layer: L4, vsa kit. A model's name, then ";key=value" for fields of hed_vsa_options.
 */
#include "kits/vsa/internal.h"
#include <errno.h>
#include <heddle/words.h>
#include <langinfo.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const variants[] = { "standard", "continuous", "clipped", "raw_sum", "cdt", "shift", "xor", NULL };
static const char *const layouts[] = { "plain", "packed", NULL };
static const char *const inverses[] = { "involution", "exact", "unitary", NULL };
static const char *const ties[] = { "vector", "first", "one", NULL };
static const char *const measures[] = { "default", "hamming", "cosine", NULL };

typedef enum kind { COUNT, NAME, NUMBER, TRUTH, TYPE, SEED } kind;
static const struct key {
  const char *name;
  kind kind;
  size_t at;
  const char *const *names;
} keys[] = {
#define AT(field) offsetof(hed_vsa_options, field)
  { "dim", COUNT, AT(dim), NULL },           { "variant", NAME, AT(variant), variants },
  { "layout", NAME, AT(layout), layouts },   { "inverse", NAME, AT(inverse), inverses },
  { "tie", NAME, AT(tie), ties },            { "similarity", NAME, AT(similarity), measures },
  { "sparsity", NUMBER, AT(sparsity), NULL }, { "bernoulli", TRUTH, AT(bernoulli), NULL },
  { "majority", TRUTH, AT(majority), NULL }, { "segments", COUNT, AT(segments), NULL },
  { "block", COUNT, AT(block), NULL },       { "diagonality", NUMBER, AT(diagonality), NULL },
  { "dtype", TYPE, AT(dtype), NULL },        { "seed", SEED, AT(seed), NULL },
#undef AT
};

/* Is NAME the N characters at TEXT, in any case? */
static bool same(const char *name, const char *text, size_t n)
{
  return strlen(name) == n && strncasecmp(name, text, n) == 0;
}

static int index_of(const char *const *names, const char *value)
{
  for (int k = 0; names[k]; k++)
    if (strcasecmp(names[k], value) == 0)
      return k;
  return -1;
}

enum { VALUE = 32, OTHERS = 512 };

/* Numbers have a point in any locale: FROM in TEXT, of VALUE characters, becomes TO. */
static void set_point(char *text, const char *from, const char *to)
{
  char *at = strstr(text, from), rest[VALUE];
  if (at) {
    (void)snprintf(rest, sizeof rest, "%s", at + strlen(from));
    (void)snprintf(at, VALUE - (size_t)(at - text), "%s%s", to, rest);
  }
}

/* The text VALUE into the field of K; false when it is no value of its kind. */
static bool set(const struct key *k, char value[VALUE], hed_vsa_options *o)
{
  void *field = (char *)o + k->at;
  char *end = NULL;
  int i;
  errno = 0;
  switch (k->kind) {
  case COUNT:
    *(int64_t *)field = strtoll(value, &end, 10);
    break;
  case SEED:
    *(uint64_t *)field = strtoull(value, &end, 0);
    if (strchr(value, '-'))
      return false;
    break;
  case NUMBER:
    if (value[strspn(value, "0123456789.+-eE")])
      return false;
    set_point(value, ".", nl_langinfo(RADIXCHAR));
    *(double *)field = strtod(value, &end);
    break;
  case NAME:
    i = index_of(k->names, value);
    *(int32_t *)field = i;
    return i >= 0;
  case TRUTH:
    i = index_of((const char *const[]){ "false", "true", "0", "1", NULL }, value);
    *(bool *)field = i & 1;
    return i >= 0;
  case TYPE:
    return (*(hed_dtype *)field = hed_dtype_by_name(value)) != NULL;
  }
  return errno == 0 && end != value && *end == '\0';
}

/* "; did you mean 'fhrr'? There are ...", of the N letters at WORD and NAME(k), k from 0. */
static const char *others(const char *word, size_t n, const char *(*name)(int k), char text[OTHERS])
{
  char copy[VALUE], all[OTHERS / 2] = "";
  (void)snprintf(copy, sizeof copy, "%.*s", (int)n, word);
  for (int k = 0; name(k); k++)
    (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", name(k));
  return hed_choices(copy, all, text, OTHERS);
}

static const char *key_name(int k) { return k < (int)(sizeof keys / sizeof keys[0]) ? keys[k].name : NULL; }

static hed_status one_key(const char *text, size_t n, hed_vsa_options *o)
{
  const char *equals = memchr(text, '=', n);
  const size_t name = equals ? (size_t)(equals - text) : n;
  char value[VALUE] = "", text_of_others[OTHERS], all[OTHERS / 2] = "";
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    if (!same(keys[k].name, text, name))
      continue;
    const size_t length = equals ? n - name - 1 : 0;
    if (equals && length < sizeof value) {
      memcpy(value, equals + 1, length);
      value[length] = '\0';
      if (set(&keys[k], value, o))
        return HED_OK;
    }
    for (int i = 0; keys[k].names && keys[k].names[i]; i++)
      (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", keys[k].names[i]);
    return hed_fail(HED_E_INVAL, "hed_vsa_by_name: \"%.*s\" is no value of %s%s", (int)n, text, keys[k].name,
                    *all ? hed_choices(equals ? value : "", all, text_of_others, sizeof text_of_others) : "");
  }
  return hed_fail(HED_E_INVAL, "hed_vsa_by_name: there is no option \"%.*s\"%s", (int)name, text,
                  others(text, name, key_name, text_of_others));
}

hed_status hed_vsa_by_name(const char *spec, hed_vsa **out)
{
  hed_vsa_options o = { 0 };
  const char *at;
  int m = 0;
  char text_of_others[OTHERS];
  if (!spec || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_by_name: %s is NULL", spec ? "out" : "spec");
  *out = NULL;
  const size_t name = strcspn(spec, ";");
  while (hed_vsa_model_name(m) && !same(hed_vsa_model_name(m), spec, name))
    m++;
  if (!hed_vsa_model_name(m))
    return hed_fail(HED_E_NOTFOUND, "hed_vsa_by_name: there is no model \"%.*s\"%s", (int)name, spec,
                    others(spec, name, hed_vsa_model_name, text_of_others));
  for (at = spec + name; *at;) {
    const size_t n = strcspn(++at, ";");
    hed_status status = one_key(at, n, &o);
    if (status != HED_OK)
      return status;
    at += n;
  }
  return hed_vsa_create((hed_vsa_model)m, &o, out);
}

/* ---- back to text ---- */

static void value_text(const struct key *k, const hed_vsa_options *o, char out[VALUE])
{
  const void *field = (const char *)o + k->at;
  switch (k->kind) {
  case COUNT:
    (void)snprintf(out, VALUE, "%lld", (long long)*(const int64_t *)field);
    break;
  case SEED:
    (void)snprintf(out, VALUE, "%llu", (unsigned long long)*(const uint64_t *)field);
    break;
  case NUMBER:
    (void)snprintf(out, VALUE, "%.17g", *(const double *)field);
    set_point(out, nl_langinfo(RADIXCHAR), ".");
    break;
  case NAME:
    (void)snprintf(out, VALUE, "%s", k->names[*(const int32_t *)field]);
    break;
  case TRUTH:
    (void)snprintf(out, VALUE, "%d", *(const bool *)field);
    break;
  case TYPE:
    (void)snprintf(out, VALUE, "%s", hed_dtype_name(*(const hed_dtype *)field));
    break;
  }
}

void hed__vsa_text(const hed_vsa *v, char out[HED__VSA_TEXT])
{
  const hed_vsa_options none = { 0 };
  size_t at = (size_t)snprintf(out, HED__VSA_TEXT, "%s", v->name);
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    char value[VALUE], empty[VALUE] = "";
    value_text(&keys[k], &v->o, value);
    if (keys[k].kind != TYPE)
      value_text(&keys[k], &none, empty);
    if (strcmp(value, empty) != 0)
      at += (size_t)snprintf(out + at, HED__VSA_TEXT - at, ";%s=%s", keys[k].name, value);
  }
}
