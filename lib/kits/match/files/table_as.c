// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_as.c: particle tables in other programs' formats; a file table_NAME.c each.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/table_as.h"
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t most_bytes = UINT64_C(1) << 28;

/* In the order of hed_table_format; Heddle's own is table.c. */
static const hed__table_kind *const kinds[] = {
  NULL, &hed__table_relion, &hed__table_dynamo, &hed__table_relion5, &hed__table_stopgap, &hed__table_pytme,
  &hed__table_coordinates, &hed__table_napari, &hed__table_chimerax,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const names[KINDS] = { "tsv", "star", "tbl", "relion5", "stopgap", "pytme", "coords", "napari", "cmm" };

const char *hed_table_format_name(int format)
{
  return format >= 0 && format < KINDS ? names[format] : NULL;
}

static hed_status check(const char *op, const char *path, int format, const hed_table_frame *frame)
{
  if (format < 0 || format >= KINDS)
    return hed_fail(HED_E_INVAL, "%s: format %d is none of hed_table_format", op, format);
  if (frame && frame->tomogram && strpbrk(frame->tomogram, " \t\r\n\"'#"))
    return hed_fail(HED_E_INVAL, "%s: the tomogram's name '%.40s' has blanks, quotes or #", op, frame->tomogram);
  for (int a = 0; a < 3 && frame; a++)
    if (!(frame->voxel[a] >= 0) || !(frame->binning >= 0) || !isfinite(frame->origin[a]) || frame->extent[a] < 0 ||
        frame->unbinned[a] < 0)
      return hed_fail(HED_E_INVAL, "%s: frame for '%s': along axis %d a voxel of %g, an extent of %lld, a binning of %g", op, path, a,
                      frame->voxel[a], (long long)frame->extent[a], frame->binning);
  return HED_OK;
}

static hed_status check_centre(const char *op, const char *path, const hed_table_frame *frame)
{
  for (int a = 0; a < 3; a++)
    if (!frame || (frame->extent[a] < 1 && frame->unbinned[a] < 1))
      return hed_fail(HED_E_INVAL, "%s: '%s': RELION 5 counts from the tomogram's middle, and its extents are not given", op, path);
  return HED_OK;
}

hed_status hed_table_write_as(const char *path, const hed_table *t, int format, const hed_table_frame *frame)
{
  static const char op[] = "hed_table_write_as";
  hed__c_locale locale = { 0 };
  hed_file *f;
  if (format == HED_TABLE_TSV)
    return hed_table_write(path, t, NULL);
  if (!path || !t || (!t->row && t->n > 0))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "the table" : "path");
  hed_status status = check(op, path, format, frame);
  if (status == HED_OK && format == HED_TABLE_RELION5)
    status = check_centre(op, path, frame);
  for (size_t i = 0; i < t->n && status == HED_OK; i++)
    for (int a = 0; a < 3 && status == HED_OK; a++)
      if (!isfinite(t->row[i].position[a]) || !isfinite(t->row[i].euler[a]) || !isfinite(t->row[i].score))
        status = hed_fail(HED_E_INVAL, "%s: row %zu for '%s' is not finite", op, i, path);
  if (status != HED_OK || (status = hed__c_locale_enter(&locale, op)) != HED_OK)
    return status;
  if ((status = hed_file_create(op, path, &f)) == HED_OK) {
    kinds[format]->write(f, t, frame);
    status = hed_file_close(f, HED_OK);
  }
  hed__c_locale_leave(&locale);
  return status;
}

hed_status hed_table_read_as(const char *path, int format, const hed_table_frame *frame, hed_table *out)
{
  static const char op[] = "hed_table_read_as";
  hed__c_locale locale = { 0 };
  hed_table t = { 0 };
  char *text = NULL;
  size_t n = 0;
  if (format == HED_TABLE_TSV)
    return hed_table_read(path, out);
  if (out)
    *out = (hed_table){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  hed_status status = check(op, path, format, frame);
  if (status == HED_OK)
    status = hed__file_load(op, path, most_bytes, &text, &n);
  if (status == HED_OK && (status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    hed__text r = { .op = op, .path = path, .p = text, .end = text + n };
    status = kinds[format]->read(&r, frame, &t);
    hed__c_locale_leave(&locale);
  }
  free(text);
  if (status == HED_OK)
    *out = t;
  else
    hed_table_clear(&t);
  return status;
}
