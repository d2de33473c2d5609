// SPDX-License-Identifier: BSD-3-Clause
/* Pieces of JSON (RFC 8259), as headers of files have them. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_JSON_H
#define HED_KITS_NN_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is read: from AT to END, not ended by a 0. */
typedef struct hed__nn_json {
  const char *at, *end;
} hed__nn_json;

/* Pass blanks; then the next character is C, and is passed. */
bool hed__nn_json_is(hed__nn_json *j, char c);
/* A string into TEXT, which has room for the rest of what is read and 1: UTF-8, without a 0 in it. */
bool hed__nn_json_string(hed__nn_json *j, char *text);
/* A whole number from 0 to INT64_MAX. */
bool hed__nn_json_number(hed__nn_json *j, int64_t *n);
/* Is there nothing left but blanks? */
bool hed__nn_json_over(hed__nn_json *j);

/* How many bytes TEXT takes as a string of JSON, with its quotes; written into OUT when that is not NULL. */
size_t hed__nn_json_quote(const char *text, char *out);

#endif
