// SPDX-License-Identifier: BSD-3-Clause
/* The tomograms of a folder, and what lies beside them.
 *
 * Layer: L4, match kit. Warp writes NAME/TS.xml and NAME/reconstruction/TS_10.00Apx.mrc; AreTomo 3 TS_Vol.mrc with half maps
 * TS_EVN_Vol.mrc, TS_ODD_Vol.mrc, TS_TLT.txt (angle, order of acquisition, dose) and TS_CTF.txt.
 */
#include "kits/match/files/tomograms.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends(const char *s, size_t n, const char *ending)
{
  const size_t k = strlen(ending);
  return n > k && memcmp(s + n - k, ending, k) == 0;
}

/* How long the name is before what says that it is a volume; 0: it is none. */
static size_t volume_stem(const char *s)
{
  static const char *const endings[] = { ".mrc.gz", ".mrc", ".rec", ".em" };
  const size_t n = strlen(s);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
    if (*s != '.' && ends(s, n, endings[i]))
      return n - strlen(endings[i]);
  return 0;
}

/* Of TS_10.00Apx TS; 0: it is not of that kind. */
static size_t warp_stem(const char *s, size_t n)
{
  if (!ends(s, n, "Apx"))
    return 0;
  size_t k = n - 3;
  while (k > 0 && strchr("0123456789.", s[k - 1]))
    k--;
  return k > 1 && k < n - 3 && s[k - 1] == '_' ? k - 1 : 0;
}

static bool is_aretomo(const char *s, size_t n)
{
  return ends(s, n, "_Vol") && !ends(s, n, "_EVN_Vol") && !ends(s, n, "_ODD_Vol") && !ends(s, n, "_2ND_Vol");
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    free(name[i]);
  free(name);
}

/* Names of the volumes in FOLDER, sorted. */
static hed_status volumes(const hed__tomograms *b, const char *folder, char ***out, size_t *n)
{
  DIR *d = opendir(folder);
  hed_status status = HED_OK;
  *out = NULL;
  *n = 0;
  if (!d)
    return hed_fail(HED_E_IO, "%s: cannot read the folder '%s': %s", b->op, folder, strerror(errno));
  for (struct dirent *e; status == HED_OK && (e = readdir(d)) != NULL;) {
    if (volume_stem(e->d_name) == 0)
      continue;
    char **more = (*n & (*n - 1)) == 0 ? realloc(*out, (*n ? 2 * *n : 1) * sizeof *more) : *out;
    *out = more ? more : *out;
    if (!more || !(more[*n] = strdup(e->d_name)))
      status = hed_fail(HED_E_NOMEM, "%s: no memory for the names of '%s'", b->op, folder);
    else
      ++*n;
  }
  (void)closedir(d);
  if (status == HED_OK && *n)
    qsort(*out, *n, sizeof **out, by_text);
  if (status != HED_OK) {
    free_names(*out, *n);
    *out = NULL;
    *n = 0;
  }
  return status;
}

/* Text WHICH of the last row is the folder's file STEM.ENDING, where it is there. */
static hed_status beside(hed__tomograms *b, int which, const char *stem, size_t n, const char *ending, bool *there)
{
  char *path = NULL;
  if (asprintf(&path, "%s/%.*s%s", b->path, (int)n, stem, ending) < 0)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a path", b->op);
  *there = access(path, F_OK) == 0;
  free(path);
  return *there ? hed__tomograms_set(b, which, b->path, strlen(b->path), stem, n, ending) : HED_OK;
}

/* The first of ENDINGS, which a NULL ends. */
static hed_status first_beside(hed__tomograms *b, int which, const char *stem, size_t n, const char *const *endings)
{
  hed_status status = HED_OK;
  bool there = false;
  for (; *endings && !there && status == HED_OK; endings++)
    status = beside(b, which, stem, n, *endings, &there);
  return status;
}

typedef enum kind { PLAIN, WARP, ARETOMO } kind;

static hed_status add(hed__tomograms *b, kind k, const char *folder, const char *name)
{
  static const char *const tilts[][6] = { { ".xml", ".tomostar", ".mdoc", ".tlt", ".rawtlt", NULL }, { ".xml", NULL },
                                          { "_TLT.txt", NULL } };
  static const char *const ctf[][2] = { { ".defocus", NULL }, { NULL }, { "_CTF.txt", NULL } };
  static const char *const masks[] = { "_mask.mrc", NULL };
  const size_t whole = volume_stem(name), warp = warp_stem(name, whole);
  const size_t n = k == WARP ? (warp ? warp : whole) : k == ARETOMO ? whole - strlen("_Vol") : whole;
  hed_status status = hed__tomograms_add(b);
  if (status == HED_OK)
    status = hed__tomograms_set(b, HED__NAME, NULL, 0, name, n, "");
  if (status == HED_OK)
    status = hed__tomograms_set(b, HED__TARGET, folder, strlen(folder), name, strlen(name), "");
  if (status == HED_OK)
    status = first_beside(b, HED__TILTS, name, n, tilts[k]);
  if (status == HED_OK)
    status = first_beside(b, HED__CTF, name, n, ctf[k]);
  return status == HED_OK ? first_beside(b, HED__TARGET_MASK, name, n, masks) : status;
}

hed_status hed__tomograms_folder(hed__tomograms *b)
{
  char *inner = NULL, **name = NULL;
  size_t n = 0;
  if (asprintf(&inner, "%s/reconstruction", b->path) < 0)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a path", b->op);
  kind k = access(inner, F_OK) == 0 ? WARP : PLAIN;
  const char *folder = k == WARP ? inner : b->path;
  hed_status status = volumes(b, folder, &name, &n);
  for (size_t i = 0; i < n && status == HED_OK && k == PLAIN; i++)
    k = is_aretomo(name[i], volume_stem(name[i])) ? ARETOMO : k;
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    const size_t stem = volume_stem(name[i]);
    if (k == ARETOMO ? is_aretomo(name[i], stem) : !ends(name[i], stem, "_mask"))
      status = add(b, k, folder, name[i]);
  }
  free_names(name, n);
  free(inner);
  return status;
}
