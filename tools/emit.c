// SPDX-License-Identifier: BSD-3-Clause
/* JSON (RFC 8259), two blanks of indentation per level.
 *
 * Layer: L5.
 */
#include "emit.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(emit *e, const char *s, size_t n)
{
  if (e->failed)
    return;
  if (e->n + n + 1 > e->room) {
    size_t room = 2 * (e->n + n) + 1024;
    char *t = realloc(e->text, room);
    if (!t) {
      e->failed = true;
      return;
    }
    e->text = t;
    e->room = room;
  }
  memcpy(e->text + e->n, s, n);
  e->n += n;
}

static void put_text(emit *e, const char *s)
{
  put(e, s, strlen(s));
}

size_t emit_utf8_length(const unsigned char *s)
{
  if (s[0] < 0x80)
    return 1;
  if (s[0] >= 0xc2 && s[0] <= 0xdf)
    return (s[1] & 0xc0) == 0x80 ? 2 : 0;
  if ((s[0] & 0xf0) == 0xe0) {
    unsigned char low = s[0] == 0xe0 ? 0xa0 : 0x80, high = s[0] == 0xed ? 0x9f : 0xbf;
    return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 ? 3 : 0;
  }
  if (s[0] >= 0xf0 && s[0] <= 0xf4) {
    unsigned char low = s[0] == 0xf0 ? 0x90 : 0x80, high = s[0] == 0xf4 ? 0x8f : 0xbf;
    return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 ? 4 : 0;
  }
  return 0;
}

static void put_quoted(emit *e, const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  put_text(e, "\"");
  while (*s) {
    size_t n = emit_utf8_length(s);
    char escape[8];
    if (n == 0) {
      put_text(e, "\xef\xbf\xbd");
      s++;
    } else if (*s == '"' || *s == '\\') {
      snprintf(escape, sizeof escape, "\\%c", *s++);
      put_text(e, escape);
    } else if (*s == '\n' || *s == '\t') {
      put_text(e, *s++ == '\n' ? "\\n" : "\\t");
    } else if (*s < 0x20 || *s == 0x7f) {
      snprintf(escape, sizeof escape, "\\u%04x", *s++);
      put_text(e, escape);
    } else {
      put(e, (const char *)s, n);
      s += n;
    }
  }
  put_text(e, "\"");
}

/* Comma, line, indentation and key before a value. */
static void before(emit *e, const char *key)
{
  if (e->comma)
    put_text(e, ",");
  if (e->depth > 0)
    put_text(e, "\n");
  for (int i = 0; i < e->depth; i++)
    put_text(e, "  ");
  if (key) {
    put_quoted(e, key);
    put_text(e, ": ");
  }
  e->comma = true;
}

static void open_level(emit *e, const char *key, const char *bracket)
{
  before(e, key);
  put_text(e, bracket);
  e->depth++;
  e->comma = false;
}

static void close_level(emit *e, const char *bracket)
{
  e->depth--;
  if (e->comma) {
    put_text(e, "\n");
    for (int i = 0; i < e->depth; i++)
      put_text(e, "  ");
  }
  put_text(e, bracket);
  e->comma = true;
}

void emit_object(emit *e, const char *key) { open_level(e, key, "{"); }
void emit_object_end(emit *e) { close_level(e, "}"); }
void emit_array(emit *e, const char *key) { open_level(e, key, "["); }
void emit_array_end(emit *e) { close_level(e, "]"); }

void emit_string(emit *e, const char *key, const char *value)
{
  before(e, key);
  if (value)
    put_quoted(e, value);
  else
    put_text(e, "null");
}

void emit_number(emit *e, const char *key, double value)
{
  char text[40] = "null";
  before(e, key);
  if (isfinite(value))
    snprintf(text, sizeof text, "%.9g", value);
  put_text(e, text);
}

void emit_int(emit *e, const char *key, int64_t value)
{
  char text[32];
  before(e, key);
  snprintf(text, sizeof text, "%" PRId64, value);
  put_text(e, text);
}

void emit_bool(emit *e, const char *key, bool value)
{
  before(e, key);
  put_text(e, value ? "true" : "false");
}

void emit_json(emit *e, const char *key, const char *value)
{
  before(e, key);
  put_text(e, value);
}

bool emit_end(emit *e)
{
  put_text(e, "\n");
  return !e->failed;
}

void emit_drop(emit *e)
{
  free(e->text);
  *e = (emit){ 0 };
}

bool emit_close(emit *e, FILE *f)
{
  const bool good = emit_end(e) && fwrite(e->text, 1, e->n, f) == e->n;
  emit_drop(e);
  return good;
}
