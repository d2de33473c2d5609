// SPDX-License-Identifier: BSD-3-Clause
/* One JSON document.
 *
 * Layer: L5. Text is gathered in memory and written at the end, so that a command that fails half-way prints no half
 * document. Keys are NULL inside arrays. Numbers that are not finite become null; text that is not UTF-8 has its bad
 * bytes replaced by U+FFFD.
 */
#ifndef HEDDLE_TOOLS_EMIT_H
#define HEDDLE_TOOLS_EMIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct emit {
  char *text;
  size_t n, room;
  int depth;
  bool comma;  /* something stands before on this level */
  bool failed; /* out of memory                         */
} emit;

void emit_object(emit *e, const char *key);
void emit_object_end(emit *e);
void emit_array(emit *e, const char *key);
void emit_array_end(emit *e);
void emit_string(emit *e, const char *key, const char *value); /* NULL becomes null */
void emit_number(emit *e, const char *key, double value);
void emit_int(emit *e, const char *key, int64_t value);
void emit_bool(emit *e, const char *key, bool value);
void emit_json(emit *e, const char *key, const char *value); /* JSON as it is */

/* Bytes of the valid UTF-8 sequence at S, 0 when there is none (Unicode 15, table 3-7). */
size_t emit_utf8_length(const unsigned char *s);

/* The line end behind the document; false when memory failed. The text is then TEXT, of N bytes, until emit_drop(). */
bool emit_end(emit *e);
void emit_drop(emit *e);
/* All of it, into F; false when memory or writing failed. */
bool emit_close(emit *e, FILE *f);

#endif
