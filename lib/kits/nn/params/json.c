// SPDX-License-Identifier: BSD-3-Clause
/* Strings and whole numbers of JSON.
 *
 * Layer: L4, nn kit. Nothing here takes memory or calls itself: what is read may be anything.
 */
#include "kits/nn/params/json.h"
#include <stdio.h>
#include <string.h>

static void pass_blanks(hed__nn_json *j)
{
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
    j->at++;
}

bool hed__nn_json_is(hed__nn_json *j, char c)
{
  pass_blanks(j);
  if (j->at >= j->end || *j->at != c)
    return false;
  j->at++;
  return true;
}

bool hed__nn_json_over(hed__nn_json *j)
{
  pass_blanks(j);
  return j->at == j->end;
}

bool hed__nn_json_number(hed__nn_json *j, int64_t *n)
{
  pass_blanks(j);
  const char *first = j->at;
  uint64_t v = 0;
  for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
    const uint64_t digit = (uint64_t)(*j->at - '0');
    if (v > ((uint64_t)INT64_MAX - digit) / 10)
      return false;
    v = v * 10 + digit;
  }
  *n = (int64_t)v;
  return j->at > first && (*first != '0' || j->at == first + 1);
}

/* ---- strings ---- */

/* Four hexadecimal digits. */
static bool hex4(hed__nn_json *j, uint32_t *v)
{
  *v = 0;
  if (j->end - j->at < 4)
    return false;
  for (int k = 0; k < 4; k++) {
    const char c = *j->at++;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0)
      return false;
    *v = *v << 4 | (uint32_t)digit;
  }
  return true;
}

static size_t utf8(uint32_t c, char *out)
{
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out[0] = (char)((0xff00 >> (more + 1) & 0xff) | c >> 6 * more);
  for (int k = 1; k <= more; k++)
    out[k] = (char)(0x80 | (c >> 6 * (more - k) & 0x3f));
  return (size_t)more + 1;
}

/* What follows a backslash; the bytes that it stands for, 0 when it is wrong. No escape is shorter than what it stands for. */
static size_t escape(hed__nn_json *j, char *out)
{
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  uint32_t c, low;
  if (j->at >= j->end)
    return 0;
  const char name = *j->at++;
  const char *known = name ? strchr(names, name) : NULL;
  if (known) {
    *out = values[known - names];
    return 1;
  }
  if (name != 'u' || !hex4(j, &c) || c == 0 || (c >= 0xdc00 && c < 0xe000))
    return 0;
  if (c >= 0xd800 && c < 0xdc00) { /* the first of a pair */
    if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
      return 0;
    j->at += 2;
    if (!hex4(j, &low) || low < 0xdc00 || low >= 0xe000)
      return 0;
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  }
  return utf8(c, out);
}

/* Bytes of the UTF-8 character at AT, 0 when it is none: overlong forms, surrogates and what is beyond Unicode are wrong. */
static size_t character(const char *at, const char *end)
{
  const unsigned char c = (unsigned char)*at;
  const size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (n == 0 || (size_t)(end - at) < n)
    return 0;
  for (size_t k = 1; k < n; k++)
    if (((unsigned char)at[k] & 0xc0) != 0x80)
      return 0;
  const unsigned char d = n > 1 ? (unsigned char)at[1] : 0;
  if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f))
    return 0;
  return n;
}

bool hed__nn_json_string(hed__nn_json *j, char *text)
{
  if (!hed__nn_json_is(j, '"'))
    return false;
  while (j->at < j->end && *j->at != '"') {
    size_t n;
    if (*j->at == '\\') {
      j->at++;
      n = escape(j, text);
    } else {
      n = (unsigned char)*j->at < 0x20 ? 0 : character(j->at, j->end);
      memmove(text, j->at, n);
      j->at += n;
    }
    if (n == 0)
      return false;
    text += n;
  }
  *text = 0;
  return hed__nn_json_is(j, '"');
}

size_t hed__nn_json_quote(const char *text, char *out)
{
  size_t n = 1;
  if (out)
    out[0] = '"';
  for (const char *c = text; *c; c++) {
    char piece[8];
    const int bytes = *c == '"' || *c == '\\'    ? snprintf(piece, sizeof piece, "\\%c", *c)
                      : (unsigned char)*c < 0x20 ? snprintf(piece, sizeof piece, "\\u%04x", (unsigned)*c)
                                                 : snprintf(piece, sizeof piece, "%c", *c);
    if (out)
      memcpy(out + n, piece, (size_t)bytes);
    n += (size_t)bytes;
  }
  if (out)
    out[n] = '"';
  return n + 1;
}
