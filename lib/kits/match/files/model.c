// SPDX-License-Identifier: BSD-3-Clause
/* hed_model_read, hed_model_parse.
 *
 * Layer: L4, match kit. A file is mmCIF when its first word is a data block's name or an
 * item's, PDB otherwise; its name plays no part.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/model_internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char op[] = "hed_model_read";
static const uint64_t most_bytes = UINT64_C(1) << 31;

static bool looks_like_cif(const char *s, const char *end) {
  while (s < end) {
    if (*s == '#') {
      const char *newline = memchr(s, '\n', (size_t)(end - s));
      s = newline ? newline : end;
    } else if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n') {
      s++;
    } else {
      return *s == '_' || (end - s >= 5 && (strncasecmp(s, "data_", 5) == 0 ||
                                            strncasecmp(s, "loop_", 5) == 0));
    }
  }
  return false;
}

static hed_status check_text(const char *name, const char *text, size_t n) {
  if (n == 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is empty", op, name);
  if (n >= 2 && (uint8_t)text[0] == 0x1f && (uint8_t)text[1] == 0x8b)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is compressed with gzip; unpack it first", op,
                    name);
  const char *zero = memchr(text, '\0', n);
  if (zero)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' is no model: it is binary (byte %zu of %zu is zero)", op, name,
                    (size_t)(zero - text), n);
  return HED_OK;
}

hed_status hed_model_parse(const char *name, const char *text, size_t n, hed_model *out) {
  hed_model m = {0};
  hed__c_locale locale = {0};
  hed_status status;

  if (out)
    memset(out, 0, sizeof *out);
  if (!name || !text || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op,
                    !name ? "name" : !text ? "text" : "out");
  if ((status = check_text(name, text, n)) != HED_OK)
    return status;
  hed__model_reader r = {
      .op = op, .name = name, .text = text, .end = text + n, .line = 1, .model = &m};
  bool cif = looks_like_cif(text, r.end);
  if ((status = hed__c_locale_enter(&locale, op)) != HED_OK)
    return status;
  status = cif ? hed__cif_read(&r) : hed__pdb_read(&r);
  hed__c_locale_leave(&locale);
  if (status == HED_OK && m.n == 0)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no atoms (read as %s, %zu lines)", op,
                      name, cif ? "mmCIF" : "PDB", r.line);
  if (status != HED_OK) {
    hed_model_clear(&m);
    return status;
  }
  *out = m;
  return HED_OK;
}

hed_status hed_model_read(const char *path, hed_model *out) {
  hed_status status;
  char *text = NULL;
  size_t n = 0;

  if (out)
    memset(out, 0, sizeof *out);
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  if ((status = hed__file_load(op, path, most_bytes, &text, &n)) != HED_OK)
    return status;
  status = hed_model_parse(path, text, n, out);
  free(text);
  return status;
}

void hed_model_clear(hed_model *m) {
  if (!m)
    return;
  free(m->x);
  free(m->y);
  free(m->z);
  free(m->occupancy);
  free(m->b);
  free(m->atomic_number);
  memset(m, 0, sizeof *m);
}
