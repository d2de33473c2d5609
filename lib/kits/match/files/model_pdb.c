// SPDX-License-Identifier: BSD-3-Clause
/* Atoms of a PDB file.
 *
 * Layer: L4, match kit. Fixed columns of ATOM and HETATM records as in wwPDB's format 3.3,
 * counted from 1 there and from 0 here. Records that are no atoms are skipped; the file is
 * over at ENDMDL, at the second MODEL or at END.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/model_internal.h"
#include <string.h>

/* Columns from..to (1-based, inclusive) of a line of n bytes, without blanks around. */
typedef struct field { const char *s; size_t n; } field;

static field columns(const char *line, size_t n, size_t from, size_t to) {
  field f = {line, 0};
  if (n < from)
    return f;
  f.s = line + from - 1;
  f.n = (n < to ? n : to) - from + 1;
  while (f.n > 0 && *f.s == ' ') {
    f.s++;
    f.n--;
  }
  while (f.n > 0 && f.s[f.n - 1] == ' ')
    f.n--;
  return f;
}

static bool starts(const char *line, size_t n, const char *record) {
  size_t k = strlen(record);
  return n >= k && memcmp(line, record, k) == 0;
}

static hed_status number(const hed__model_reader *r, field f, const char *what, double *v) {
  char shown[24];
  if (hed__parse_number(f.s, f.n, v))
    return HED_OK;
  return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no number for %s", r->op,
                  r->name, r->line, hed__printable(f.s, f.n, shown, sizeof shown), what);
}

/* Whether the residue is one of those that hold nothing but H, C, N, O, P and S (D). */
static bool common_residue(field f) {
  static const char known[] =
      " ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ASX GLX UNK HID HIE HIP CYX"
      " A C G U I T DA DC DG DT DU DI HOH WAT DOD SOL ";
  char word[8];
  if (f.n < 1 || f.n > 4)
    return false;
  word[0] = ' ';
  memcpy(word + 1, f.s, f.n);
  word[f.n + 1] = ' ';
  word[f.n + 2] = '\0';
  return strstr(known, word) != NULL;
}

/* Element field first; old files lack it. In the atom name (columns 13-16) the symbol should be
 * right-justified in the first two, but names of four letters begin there too, which is how
 * hydrogens such as HG11 are written, and some programs shift all names to the left (CA of ALA)
 * or write FE of HEM behind a blank. So of common residues the first letter counts; of others a
 * name that is the residue's, as an ion's is, then two letters that make an element unless the
 * first alone stands for one that is common and the second for a place: CA, CD, NE, HG, but CL. */
static int element_of(const char *line, size_t n) {
  field f = columns(line, n, 77, 78), name = columns(line, n, 13, 16), residue = columns(line, n, 18, 20);
  int z = hed__element(f.s, f.n);
  if (z >= 0 || name.n == 0)
    return z;
  const bool shifted = line[12] == ' ';
  while (name.n > 0 && *name.s >= '0' && *name.s <= '9') {
    name.s++;
    name.n--;
  }
  size_t letters = 0;
  while (letters < name.n && ((name.s[letters] | 32) >= 'a' && (name.s[letters] | 32) <= 'z'))
    letters++;
  const int one = hed__element(name.s, 1), two = letters >= 2 ? hed__element(name.s, 2) : -1;
  if (one > 0 && common_residue(residue))
    return one;
  if (residue.n == letters && letters > 0 && memcmp(residue.s, name.s, letters) == 0)
    return two >= 0 ? two : one;
  if ((*name.s == 'H' || *name.s == 'D') && name.n >= (line[12] >= '0' && line[12] <= '9' ? 3 : 4))
    return 1;
  const bool place = name.n >= 2 && strchr("CNOHSPD", name.s[0]) && strchr("ABGDEZHX", name.s[1]);
  return two < 0 || (shifted && place) || (letters > 2 && shifted) ? one : two;
}

static hed_status read_atom(hed__model_reader *r, const char *line, size_t n,
                            hed__altloc *alt) {
  hed__atom a = {.occupancy = 1, .b = 0};
  hed_status status;
  char shown[8];

  if (n < 54)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' line %zu: an atom record of %zu columns; coordinates end at "
                    "column 54", r->op, r->name, r->line, n);
  if ((status = number(r, columns(line, n, 31, 38), "x", &a.x)) != HED_OK ||
      (status = number(r, columns(line, n, 39, 46), "y", &a.y)) != HED_OK ||
      (status = number(r, columns(line, n, 47, 54), "z", &a.z)) != HED_OK)
    return status;
  field f = columns(line, n, 55, 60);
  if (f.n > 0 && (status = number(r, f, "the occupancy", &a.occupancy)) != HED_OK)
    return status;
  f = columns(line, n, 61, 66);
  if (f.n > 0 && (status = number(r, f, "the B factor", &a.b)) != HED_OK)
    return status;
  /* chain, residue number and insertion code */
  if (!hed__altloc_take(alt, line + 21, 6, line + 16, line[16] == ' ' ? 0 : 1))
    return HED_OK;
  int z = element_of(line, n);
  if (z < 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: no element known for the atom '%s'",
                    r->op, r->name, r->line, hed__printable(line + 12, 4, shown, sizeof shown));
  a.atomic_number = (uint8_t)z;
  return hed__model_add(r, &a);
}

hed_status hed__pdb_read(hed__model_reader *r) {
  hed__altloc alt = {.n = 0};
  const char *s = r->text;
  int models = 0;

  for (r->line = 1; s < r->end; r->line++) {
    const char *newline = memchr(s, '\n', (size_t)(r->end - s));
    const char *stop = newline ? newline : r->end;
    size_t n = (size_t)(stop - s);
    if (n > 0 && s[n - 1] == '\r')
      n--;
    if (starts(s, n, "ATOM") || starts(s, n, "HETATM")) {
      /* serials of six digits and more reach into the record's name */
      for (size_t i = 4; *s == 'A' && i < 6 && i < n; i++)
        if (s[i] != ' ' && !(s[i] >= '0' && s[i] <= '9'))
          return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%.12s' is no beginning of an atom record", r->op, r->name,
                          r->line, hed__printable(s, n < 12 ? n : 12, (char[16]){0}, 16));
      hed_status status = read_atom(r, s, n, &alt);
      if (status != HED_OK)
        return status;
    } else if (starts(s, n, "MODEL ")) {
      if (++models > 1)
        return HED_OK;
    } else if (starts(s, n, "ENDMDL") ||
               (starts(s, n, "END") && columns(s, n, 4, 80).n == 0)) {
      return HED_OK;
    }
    s = newline ? newline + 1 : r->end;
  }
  return HED_OK;
}
