// SPDX-License-Identifier: BSD-3-Clause
/* Parser of einsum's subscripts: see einsum_parse.h. L3.
 *
 *   subscripts := term ("," term)* ["->" term]        blanks are ignored
 *   term       := (symbol | "...")*                   at most one ellipsis
 *
 * Two steps: terms are read with the ellipsis as a mark, then the mark becomes as many labels as the operand has axes
 * left over. Every index into a fixed array is checked before it is used.
 */
#include "composite/einsum_parse.h"

#include <heddle/error.h>
#include <string.h>

enum { MARK = -1, MOST = HED_MAX_NDIM + 1 };

typedef struct raw_term {
  int n, mark;            /* labels with the mark, its position or -1 */
  int8_t label[MOST];
} raw_term;

/* The code point at S, its length in *LEN; -1 where there is no symbol. (RFC 3629 says what UTF-8 is.) */
static int32_t symbol_at(const char *s, int *len)
{
  const unsigned char *p = (const unsigned char *)s;
  *len = 1;
  if (p[0] < 0x80)
    return (p[0] >= 'A' && p[0] <= 'Z') || (p[0] >= 'a' && p[0] <= 0x7f) ? p[0] : -1;
  int more = p[0] >= 0xc2 && p[0] < 0xe0 ? 1 : p[0] >= 0xe0 && p[0] < 0xf0 ? 2 : p[0] >= 0xf0 && p[0] < 0xf5 ? 3 : 0;
  int32_t c = p[0] & (0x3f >> more);
  for (int k = 1; k <= more; k++) {
    if ((p[k] & 0xc0) != 0x80) /* also at the end of the text */
      return -1;
    c = c << 6 | (p[k] & 0x3f);
  }
  static const int32_t least[4] = { 0, 0x80, 0x800, 0x10000 };
  *len = 1 + more;
  return more && c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? c : -1;
}

/* All symbols of the text, ascending. */
static hed_status collect(const char *text, hed__subscripts *s)
{
  int len;
  s->symbols = 0;
  for (const char *p = text; *p; p += len) {
    int32_t c = symbol_at(p, &len);
    int k = s->symbols;
    if (c < 0)
      continue;
    while (k > 0 && s->symbol[k - 1] > (uint32_t)c)
      k--;
    if (k > 0 && s->symbol[k - 1] == (uint32_t)c)
      continue;
    if (s->symbols == HED__EINSUM_LETTERS)
      return hed_fail(HED_E_INVAL, "einsum: more than %d different labels", HED__EINSUM_LETTERS);
    memmove(s->symbol + k + 1, s->symbol + k, (size_t)(s->symbols++ - k) * sizeof *s->symbol);
    s->symbol[k] = (uint32_t)c;
  }
  return HED_OK;
}

static int label_of(const hed__subscripts *s, const char *p, int *len)
{
  int32_t c = symbol_at(p, len);
  for (int k = 0; k < s->symbols && c >= 0; k++)
    if (s->symbol[k] == (uint32_t)c)
      return k;
  return -1;
}

const char *hed__einsum_label(const hed__subscripts *s, int label, char buf[8])
{
  if (label < 0 || label >= s->symbols)
    return memcpy(buf, "...", 4);
  uint32_t c = s->symbol[label];
  int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[4] = { 0, 0xc0, 0xe0, 0xf0 };
  buf[0] = (char)(lead[more] | c >> (6 * more));
  for (int k = 1; k <= more; k++)
    buf[k] = (char)(0x80 | (c >> (6 * (more - k)) & 0x3f));
  buf[1 + more] = 0;
  return buf;
}

/* One term from *P on; stops at ',', "->" or the end. */
static hed_status read_term(const char *text, const char **p, raw_term *t, const hed__subscripts *all)
{
  const char *s = *p;
  int len;
  t->n = 0;
  t->mark = -1;
  for (;; s += len) {
    int label;
    len = 1;
    if (*s == ' ' || *s == '\t' || *s == '\n')
      continue;
    if (*s == 0 || *s == ',' || *s == '-')
      break;
    if (*s == '.') {
      if (s[1] != '.' || s[2] != '.' || t->mark >= 0)
        return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\": %s at position %d", text,
                        t->mark >= 0 ? "a second ellipsis in one term" : "an ellipsis has three dots", (int)(s - text));
      len = 3;
      t->mark = t->n;
      label = MARK;
    } else if ((label = label_of(all, s, &len)) < 0) {
      return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\": character %d at position %d is no label", text,
                      (unsigned char)*s, (int)(s - text));
    }
    if (t->n == MOST || (t->n == HED_MAX_NDIM && t->mark < 0))
      return hed_fail(HED_E_SHAPE, "einsum: subscripts \"%.80s\": a term has more than %d axes", text, HED_MAX_NDIM);
    t->label[t->n++] = (int8_t)label;
  }
  *p = s;
  return HED_OK;
}

/* The term with its ellipsis as COUNT labels. */
static hed_status expand(const char *text, const raw_term *t, int count, hed__subscript *out)
{
  int total = t->n - (t->mark >= 0) + count;
  if (total > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "einsum: subscripts \"%.80s\": a term has %d axes, %d are possible", text, total,
                    HED_MAX_NDIM);
  out->n = 0;
  for (int k = 0; k < t->n; k++) {
    if (k != t->mark) {
      out->label[out->n++] = t->label[k];
      continue;
    }
    for (int j = 0; j < count; j++)
      out->label[out->n++] = (int8_t)(HED__EINSUM_LABELS - count + j);
  }
  return HED_OK;
}

/* Labels that occur exactly once, in order, after the axes of the ellipsis. */
static hed_status implicit_output(int n, int most, hed__subscripts *s)
{
  int seen[HED__EINSUM_LABELS] = { 0 };
  for (int k = 0; k < n; k++)
    for (int j = 0; j < s->in[k].n; j++)
      seen[s->in[k].label[j]]++;
  s->out.n = 0;
  for (int j = 0; j < most; j++)
    s->out.label[s->out.n++] = (int8_t)(HED__EINSUM_LABELS - most + j);
  for (int label = 0; label < HED__EINSUM_LETTERS; label++) {
    if (seen[label] != 1)
      continue;
    if (s->out.n == HED_MAX_NDIM)
      return hed_fail(HED_E_SHAPE, "einsum: the result would have more than %d axes", HED_MAX_NDIM);
    s->out.label[s->out.n++] = (int8_t)label;
  }
  return HED_OK;
}

static hed_status explicit_output(const char *text, int n, int most, const raw_term *t, hed__subscripts *s)
{
  bool there[HED__EINSUM_LABELS] = { false }, used[HED__EINSUM_LABELS] = { false };
  char name[8];
  if (t->mark < 0 && most > 0)
    return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\": the output lacks the ellipsis, which stands for %d axes",
                    text, most);
  hed_status status = expand(text, t, most, &s->out);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < s->in[k].n; j++)
      there[s->in[k].label[j]] = true;
  for (int j = 0; j < s->out.n; j++) {
    int label = s->out.label[j];
    if (!there[label] || used[label])
      return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\": output label %s %s", text,
                      hed__einsum_label(s, label, name), used[label] ? "is there twice" : "is in no operand");
    used[label] = true;
  }
  return HED_OK;
}

hed_status hed__einsum_parse(const char *text, int n, const int32_t *ndim, hed__subscripts *out)
{
  raw_term t;
  const char *p = text;
  int most = 0;
  hed_status status = collect(text, out);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < n; k++) {
    if ((status = read_term(text, &p, &t, out)) != HED_OK)
      return status;
    int letters = t.n - (t.mark >= 0), rest = ndim[k] - letters;
    if (t.mark >= 0 ? rest < 0 : rest != 0)
      return hed_fail(HED_E_SHAPE, "einsum: subscripts \"%.80s\": term %d names %d axes, operand %d has %d", text, k,
                      letters, k, (int)ndim[k]);
    int count = t.mark >= 0 ? rest : 0;
    most = count > most ? count : most;
    if ((status = expand(text, &t, count, &out->in[k])) != HED_OK)
      return status;
    if (k + 1 < n && *p++ != ',')
      return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\" have %d terms for %d operands", text, k + 1, n);
  }
  if (*p == 0)
    return implicit_output(n, most, out);
  if (*p == ',')
    return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\" have more terms than the %d operands", text, n);
  if (p[0] != '-' || p[1] != '>')
    return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\": '-' without '>' at position %d", text,
                    (int)(p - text));
  p += 2;
  if ((status = read_term(text, &p, &t, out)) != HED_OK)
    return status;
  if (*p != 0)
    return hed_fail(HED_E_INVAL, "einsum: subscripts \"%.80s\" go on after the output", text);
  return explicit_output(text, n, most, &t, out);
}
