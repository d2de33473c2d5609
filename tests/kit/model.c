// SPDX-License-Identifier: BSD-3-Clause
/* Atomic models: PDB and mmCIF text written here, by the columns and the syntax of the
 * formats, and densities against the closed form of a Gaussian. With HEDDLE_TEST_DATA set to
 * a folder of structures in both formats, these are compared, too.
 */
#include "kit_files.h"
#include "tap.h"
#include <dirent.h>
#include <heddle/kits/model.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static hed_status parse(const char *text, hed_model *m) {
  return hed_model_parse("text", text, strlen(text), m);
}

/* n atoms with these atomic numbers came out of the text. */
static void elements(const char *text, size_t n, const int *want, const char *name) {
  hed_model m;
  hed_status status = parse(text, &m);
  bool same = status == HED_OK && m.n == n;
  for (size_t i = 0; same && i < n; i++)
    same = m.atomic_number[i] == want[i];
  ok(same, "%s: %zu atoms%s%s", name, m.n, status ? ", " : "",
     status ? hed_error_text() : "");
  for (size_t i = 0; !same && i < m.n; i++)
    diag("  atom %zu is %d", i, m.atomic_number[i]);
  hed_model_clear(&m);
}

static void pdb(void) {
  static const char text[] =
      "HEADER    A PROTEIN\n"
      "MODEL        1\n"
      "ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277  0.50114.40           C  \n"
      "HETATM    2 ZN    ZN A 401      10.5    -1.25    .125  1.00 20.00          ZN2+\r\n"
      "ATOM      3  N   GLY A   5    1234.567   0.000  -0.001\n"
      "TER\n"
      "ENDMDL\n"
      "MODEL        2\n"
      "ATOM      1  CA  LEU D   4       1.000   2.000   3.000  1.00  0.00           C\n";
  hed_model m;
  is_int(parse(text, &m), HED_OK, "a PDB file");
  is_uint(m.n, 3, "... the first model only");
  if (m.n == 3) {
    ok(m.x[0] == -23.105 && m.y[0] == -33.146 && m.z[0] == -29.277, "coordinates");
    ok(m.x[1] == 10.5 && m.y[1] == -1.25 && m.z[1] == 0.125, "short ones");
    ok(m.occupancy[0] == 0.5 && m.b[0] == 114.4, "occupancy and B, without a blank between");
    ok(m.occupancy[2] == 1 && m.b[2] == 0, "a line that ends early");
    ok(m.atomic_number[0] == 6 && m.atomic_number[1] == 30 && m.atomic_number[2] == 7,
       "elements from field and from name");
  }
  hed_model_clear(&m);
  ok(m.n == 0 && m.x == NULL, "clear leaves nothing");

  static const int names[] = {20, 6, 1, 1, 1, 26, 17, 1, 80, 0};
  elements("HETATM    1 CA    CA A   1       1.000   2.000   3.000\n"
           "ATOM      2  CA  ALA A   1       1.000   2.000   3.000\n"
           "ATOM      3 HG11 VAL A   1       1.000   2.000   3.000\n"
           "ATOM      4 1HB  VAL A   1       1.000   2.000   3.000\n"
           "ATOM      5  D   VAL A   1       1.000   2.000   3.000\n"
           "HETATM    6 FE   HEM A   1       1.000   2.000   3.000\n"
           "HETATM    7 CL    CL A   1       1.000   2.000   3.000\n"
           "ATOM      8  H1  WAT A   1       1.000   2.000   3.000  1.00  0.00           H\n"
           "HETATM    9 HG    HG A   1       1.000   2.000   3.000  1.00  0.00          HG\n"
           "HETATM   10 UNK  UNX A   1       1.000   2.000   3.000  1.00  0.00           X\n",
           10, names, "elements of a PDB file");
  /* no element column: names shifted to the left, elements behind a blank, and what only looks like that */
  static const int shifted[] = {6, 1, 7, 15, 34, 26, 20, 6, 7, 30, 17, 29, 7, 6, 16, 1};
  elements("ATOM      1 CA   ALA A   1       1.000   2.000   3.000\n"
           "ATOM      2 HA   ALA A   1       1.000   2.000   3.000\n"
           "ATOM      3 NE2  HIS A   1       1.000   2.000   3.000\n"
           "ATOM      4 P     DA A   1       1.000   2.000   3.000\n"
           "HETATM    5 SE   MSE A   1       1.000   2.000   3.000\n"
           "HETATM    6  FE  HEM A   1       1.000   2.000   3.000\n"
           "HETATM    7  CA   CA A   1       1.000   2.000   3.000\n"
           "HETATM    8  CA  TPO A   1       1.000   2.000   3.000\n"
           "HETATM    9  NA  HEM A   1       1.000   2.000   3.000\n"
           "HETATM   10  ZN   ZN A   1       1.000   2.000   3.000\n"
           "HETATM   11  CL1 DDT A   1       1.000   2.000   3.000\n"
           "HETATM   12 CU1  CUA A   1       1.000   2.000   3.000\n"
           "HETATM   13  NE  ARX A   1       1.000   2.000   3.000\n"
           "HETATM   14  CHA HEM A   1       1.000   2.000   3.000\n"
           "ATOM     15 SG   CYS A   1       1.000   2.000   3.000\n"
           "ATOM     16 HG   CYS A   1       1.000   2.000   3.000\n",
           16, shifted, "elements of a PDB file without their column");
  static const int many[] = {7, 6, 8, 26};
  elements("ATOM  99999  N   SER A   1       1.000   2.000   3.000  1.00  0.00           N\n"
           "ATOM 100000  CA  SER A   1       1.000   2.000   3.000  1.00  0.00           C\n"
           "ATOM 123456  O   SER A   1       1.000   2.000   3.000  1.00  0.00           O\n"
           "HETATM100001 FE  HEM A   1       1.000   2.000   3.000  1.00  0.00          FE\n",
           4, many, "serials of six digits");
  static const int first[] = {7, 6, 8, 16, 6};
  elements("ATOM      1  N   SER A   1       1.000   2.000   3.000  1.00  0.00           N\n"
           "ATOM      2  CA BSER A   1       1.000   2.000   3.000  0.50  0.00           C\n"
           "ATOM      3  CA ASER A   1       1.000   2.000   3.000  0.50  0.00           N\n"
           "ATOM      4  OG BSER A   1       1.000   2.000   3.000  0.50  0.00           O\n"
           "ATOM      5  OG ASER A   1       1.000   2.000   3.000  0.50  0.00           N\n"
           "ATOM      6  SG ACYS A   2       1.000   2.000   3.000  0.50  0.00           S\n"
           "ATOM      7  SG BCYS A   2       1.000   2.000   3.000  0.50  0.00           N\n"
           "ATOM      8  C   CYS A   2       1.000   2.000   3.000  0.50  0.00           C\n"
           "END\n"
           "ATOM      9  C   CYS A   3       1.000   2.000   3.000  0.50  0.00           C\n",
           5, first, "the first of alternate locations, up to END");
  static const int inserted[] = {6, 8};
  elements("MODEL        1\n"
           "ATOM      1  CA ASER A   1       1.000   2.000   3.000  0.50  0.00           C\n"
           "ATOM      2  CA BSER A   1A      1.000   2.000   3.000  0.50  0.00           O\n"
           "MODEL        2\n"
           "ATOM      1  CA ASER A   1       1.000   2.000   3.000  0.50  0.00           N\n",
           2, inserted, "insertion codes make other residues, MODEL ends a model");
}

static void cif(void) {
  static const char text[] =
      "# comment\n"
      "data_TEST\n"
      "_entry.id   TEST\n"
      "_struct.title\n"
      ";A title with loop_ and _atom_site.Cartn_x\n"
      "on two lines\n"
      ";\n"
      "loop_\n"
      "_other.a\n"
      "_other.b\n"
      "1 'it''s' 2 \"a \"quoted\" word\" # comment\n"
      "loop_\n"
      "_atom_site.group_PDB\n"
      "_ATOM_SITE.Type_Symbol\n"
      "_atom_site.label_alt_id\n"
      "_atom_site.auth_asym_id\n"
      "_atom_site.auth_seq_id\n"
      "_atom_site.Cartn_z\n"
      "_atom_site.Cartn_y\n"
      "_atom_site.Cartn_x\n"
      "_atom_site.occupancy\n"
      "_atom_site.B_iso_or_equiv\n"
      "_atom_site.auth_atom_id\n"
      "_atom_site.pdbx_PDB_model_num\n"
      "ATOM   C  . A 1 3.5 2.25(3) -1.125e1 0.50 33.1 'C1''x' 1\n"
      "HETATM ZN B A 2\n"
      "1 2\n"
      "3 ? . \"ZN\" 1\n"
      "HETATM MG A A 2 1 2 3 ? . MG 1\n"
      "ATOM   N  . A 1\n"
      ";9\n"
      ";\n"
      "8 7 1 0 N 1\n"
      "ATOM   N  . A 1 9 8 7 1 0 N 2\n"
      "#\n"
      "_after.x 1\n"
      "data_SECOND\n"
      "loop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
      "_atom_site.Cartn_z\nC 1 2 3\n";
  hed_model m;
  is_int(parse(text, &m), HED_OK, "an mmCIF file: %s", hed_error_text());
  is_uint(m.n, 3, "... first block, first model, first location");
  if (m.n == 3) {
    ok(m.x[0] == -11.25 && m.y[0] == 2.25 && m.z[0] == 3.5, "coordinates, any order");
    ok(m.occupancy[0] == 0.5 && m.b[0] == 33.1, "occupancy and B");
    ok(m.occupancy[1] == 1 && m.b[1] == 0, "... where they are not known");
    ok(m.atomic_number[0] == 6 && m.atomic_number[1] == 30 && m.atomic_number[2] == 7,
       "elements");
    ok(m.z[2] == 9, "a number in a text block");
  }
  hed_model_clear(&m);
  static const int one[] = {16};
  elements("data_x\n_atom_site.Cartn_x 1\n_atom_site.Cartn_y 2\n_atom_site.Cartn_z 3\n"
           "_atom_site.label_atom_id SG\n_cell.length_a 5\n",
           1, one, "a single atom without a loop, element from the name");
  elements("loop_ _atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z "
           "_atom_site.type_symbol 1 2 3 S",
           1, one, "no block name, no newline");
}

static void refused(const char *text, const char *part, const char *name) {
  hed_model m;
  memset(&m, 0x5a, sizeof m);
  hed_error_clear();
  is_int(parse(text, &m), HED_E_FORMAT, "%s", name);
  has_str(hed_error_text(), part, "... says so");
  ok(m.n == 0 && m.x == NULL, "... and gives nothing");
}

#define LOOP                                                                    \
  "data_x\nloop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n" \
  "_atom_site.Cartn_z\n"

static void bad_text(void) {
  refused("", "is empty", "an empty file");
  refused("HEADER\nREMARK   1\nEND\n", "has no atoms (read as PDB", "a PDB file without atoms");
  refused("data_x\n_entry.id x\n", "has no atoms (read as mmCIF", "mmCIF without atoms");
  refused(LOOP, "has no atoms", "a loop without rows");
  refused("ATOM      1  CA  LEU D   4     -23.105 -33.146\n", "line 1: an atom record of 46",
          "a short line");
  refused("ATOM x    1  CA  LEU D   4     -23.105 -33.146 -29.277\n", "line 1: 'ATOM x    1 ' is no beginning",
          "a record that is not an atom's and not another's");
  refused("REMARK\nATOM      1  CA  LEU D   4     -23.105 -33.1x6 -29.277\n",
          "line 2: '-33.1x6' is no number for y", "a bad coordinate");
  refused("ATOM      1  CA  LEU D   4         nan -33.146 -29.277\n", "'nan'", "NaN");
  refused("ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277  a.00  0.00\n",
          "for the occupancy", "a bad occupancy");
  refused("ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277  1.00  b.00\n",
          "for the B factor", "a bad B factor");
  refused("ATOM      1  ??  LEU D   4     -23.105 -33.146 -29.277\n", "no element known",
          "no element");
  refused(LOOP "C 1 2 3 N 4\n", "ends inside a row: 6 values in 4 columns", "half a row");
  refused(LOOP "C 1 2 ?\n", "'?' is no number for Cartn_z", "an unknown coordinate");
  refused(LOOP "C 1 2 0x10\n", "'0x10' is no number", "a hexadecimal number");
  refused(LOOP "C 1 2 1e999\n", "'1e999' is no number", "a number out of range");
  refused(LOOP "Qq 1 2 3\n", "line 7: 'Qq' is no element", "an unknown element");
  refused(LOOP "C 1 2 'abc\n", "line 7: a quoted value does not end", "an open quote");
  refused(LOOP "C 1 2\n;abc\n", "line 8: a text block starts here and never ends",
          "an open text block");
  refused("data_x\nloop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\nC 1\n",
          "atom_site has no Cartn_y", "a missing column");
  refused("data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n1 2 3\n",
          "neither type_symbol nor", "neither element nor name");
  refused("data_x\n_atom_site.Cartn_x 1\n", "no Cartn_y", "a single atom, incomplete");
  refused("data_x\nloop_\n1 2 3\n", "a loop without names", "a loop without names");
  refused("\x1f\x8b\x08 packed", "gzip", "a compressed file");
  hed_model m;
  is_int(hed_model_parse("text", "ATOM\0", 6, &m), HED_E_FORMAT, "binary content");
  has_str(hed_error_text(), "byte 4 of 6 is zero", "... says where");
  size_t n = 3000000;
  char *giant = malloc(n + 1);
  if (!giant)
    bail("no memory");
  memset(giant, 'A', n);
  giant[n] = '\0';
  refused(giant, "has no atoms", "a giant line");
  memcpy(giant, "data_x '", 8);
  refused(giant, "quoted value", "a giant quote");
  memcpy(giant, "ATOM  ", 6);
  refused(giant, "is no number", "a giant atom");
  free(giant);
}

static void files(void) {
  static const char pdb_text[] =
      "ATOM      1  CA  LEU D   4     -23.105 -33.146 -29.277  1.00114.40           C\n";
  hed_model m;
  kit_write(kit_path("model.cif"), pdb_text, sizeof pdb_text - 1);
  is_int(hed_model_read(kit_path("model.cif"), &m), HED_OK, "the name plays no part");
  is_uint(m.n, 1, "... one atom");
  hed_model_clear(&m);
  is_int(hed_model_read(kit_path("absent.pdb"), &m), HED_E_IO, "no such file");
  has_str(hed_error_text(), "absent.pdb", "... is named");
  is_int(hed_model_read("/", &m), HED_E_IO, "a folder");
  is_int(hed_model_read(NULL, &m), HED_E_INVAL, "no path");
  is_int(hed_model_read("x", NULL), HED_E_INVAL, "no result");
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    is_int(hed_model_read(kit_path("model.cif"), &m), HED_OK, "with a decimal comma");
    ok(m.n == 1 && m.x[0] == -23.105, "... the same number");
    hed_model_clear(&m);
    setlocale(LC_NUMERIC, "C");
  } else {
    skip(2, "no locale de_DE.UTF-8");
  }
}

static hed_model atoms(size_t n, double (*xyz)[3], const uint8_t *z, double *ones) {
  static double coordinate[3][16], zero[16];
  static uint8_t number[16];
  for (size_t i = 0; i < n; i++) {
    for (int a = 0; a < 3; a++)
      coordinate[a][i] = xyz[i][a];
    number[i] = z[i];
  }
  return (hed_model){.n = n, .x = coordinate[0], .y = coordinate[1], .z = coordinate[2],
                     .occupancy = ones, .b = zero, .atomic_number = number};
}

static float *values_of(const hed_map *m, hed_shape *s) {
  *s = hed_array_shape(m->data);
  size_t n = (size_t)s->dim[0] * (size_t)s->dim[1] * (size_t)s->dim[2];
  float *v = malloc(n * sizeof *v);
  if (!v || hed_to_host(m->data, v, n * sizeof *v) != HED_OK)
    bail("%s", hed_error_text());
  return v;
}

/* Three atoms against the sum of three Gaussians at every voxel. */
static void density(void) {
  double xyz[3][3] = {{1, 2, 3}, {5, -2, 8}, {-4, 3, 3.5}}, occupancy[3] = {1, 0.5, 1};
  static const uint8_t z[3] = {6, 30, 8};
  double voxel = 1.25, resolution = 6, sigma = resolution / (pi * sqrt(2.0));
  hed_model m = atoms(3, xyz, z, occupancy);
  hed_map map;
  hed_shape s;
  is_int(hed_model_to_map(&m, voxel, resolution, NULL, &map), HED_OK, "a density: %s",
         hed_error_text());
  if (!map.data)
    return;
  float *v = values_of(&map, &s);
  double worst = 0, total = 0, first[3] = {0}, peak = 0;
  for (int64_t k = 0; k < s.dim[0] * s.dim[1] * s.dim[2]; k++) {
    int64_t at[3] = {k / (s.dim[1] * s.dim[2]), k / s.dim[2] % s.dim[1], k % s.dim[2]};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      double r2 = 0;
      for (int a = 0; a < 3; a++) {
        double d = map.origin[a] + voxel * (double)at[a] - xyz[i][2 - a];
        r2 += d * d;
      }
      sum += z[i] * occupancy[i] * exp(-r2 / (2 * sigma * sigma)) /
             pow(2 * pi * sigma * sigma, 1.5);
    }
    worst = fmax(worst, fabs(v[k] - sum));
    peak = fmax(peak, sum);
    total += v[k];
    for (int a = 0; a < 3; a++)
      first[a] += v[k] * (double)at[a];
  }
  ok(worst < 1e-5 * peak, "every voxel is the sum of three Gaussians: off by %g of %g", worst,
     peak);
  is_near(total * voxel * voxel * voxel, 6 + 15 + 8, 1e-5, 0, "the electrons");
  ok(s.ndim == 3 && s.dim[0] == s.dim[1] && s.dim[1] == s.dim[2], "a cube of %d",
     (int)s.dim[0]);
  for (int a = 0; a < 3; a++)
    is_near(first[a] / total, (double)(s.dim[a] - 1) / 2, 0, 1e-4,
            "the centre of mass is the centre of the box along %c", "zyx"[a]);
  bool empty = true;
  for (int64_t k = 0; k < s.dim[1] * s.dim[2]; k++)
    empty = empty && v[k] < 1e-5 * peak && v[s.dim[1] * s.dim[2] * s.dim[0] - 1 - k] < 1e-5 * peak;
  ok(empty, "the tails fit into it");
  ok(map.voxel[0] == voxel && map.voxel[2] == voxel && !map.stack, "its voxel size");
  free(v);
  hed_map_clear(&map);

  hed_shape want = HED_SHAPE(20, 31, 40);
  is_int(hed_model_to_map(&m, voxel, resolution, &want, &map), HED_OK, "in a given box");
  v = values_of(&map, &s);
  ok(s.dim[0] == 20 && s.dim[1] == 31 && s.dim[2] == 40, "... of that shape");
  double top = 0;
  int64_t where = 0;
  for (int64_t k = 0; k < 20 * 31 * 40; k++)
    if (v[k] > top) {
      top = v[k];
      where = k;
    }
  is_near(map.origin[0] + voxel * (double)(where / (31 * 40)), 8, 0, voxel, "zinc along z");
  is_near(map.origin[1] + voxel * (double)(where / 40 % 31), -2, 0, voxel, "zinc along y");
  is_near(map.origin[2] + voxel * (double)(where % 40), 5, 0, voxel, "zinc along x");
  free(v);
  hed_map_clear(&map);
}

static void bad_densities(void) {
  double xyz[2][3] = {{0, 0, 0}, {0, 0, 100}}, occupancy[2] = {1, 1};
  static const uint8_t z[2] = {6, 6};
  hed_model m = atoms(2, xyz, z, occupancy), none = {0};
  hed_map map;
  hed_shape flat = HED_SHAPE(32, 32), small = HED_SHAPE(32, 64, 64);
  const struct { const hed_model *m; double voxel, resolution; const hed_shape *shape;
                 hed_status want; const char *part; } t[] = {
      {&none, 2, 8, NULL, HED_E_INVAL, "no atoms"},
      {NULL, 2, 8, NULL, HED_E_INVAL, "NULL"},
      {&m, 0, 8, NULL, HED_E_INVAL, "voxel of 0"},
      {&m, -1, 8, NULL, HED_E_INVAL, "voxel of -1"},
      {&m, NAN, 8, NULL, HED_E_INVAL, "nan"},
      {&m, 2, INFINITY, NULL, HED_E_INVAL, "inf"},
      {&m, 2, 3.9, NULL, HED_E_INVAL, "3.9 angstrom is finer than two voxels of 2"},
      {&m, 0.01, 8, NULL, HED_E_INVAL, "at most 1024"},
      {&m, 1e-300, 8, NULL, HED_E_INVAL, "at most 1024"},
      {&m, 2, 8, &flat, HED_E_SHAPE, "2 dimensions"},
      {&m, 2, 8, &small, HED_E_SHAPE, "32 voxels along z cannot hold the atoms, which need 51"}};
  for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
    memset(&map, 0x5a, sizeof map);
    is_int(hed_model_to_map(t[k].m, t[k].voxel, t[k].resolution, t[k].shape, &map), t[k].want,
           "case %zu: %s", k, t[k].part);
    has_str(hed_error_text(), t[k].part, "... says so");
    ok(map.data == NULL, "... and gives nothing");
  }
  occupancy[0] = occupancy[1] = 0;
  is_int(hed_model_to_map(&m, 2, 8, NULL, &map), HED_E_INVAL, "no weight");
  has_str(hed_error_text(), "total weight", "... says so");
  occupancy[0] = NAN;
  is_int(hed_model_to_map(&m, 2, 8, NULL, &map), HED_E_INVAL, "an occupancy of NaN");
  occupancy[0] = 1;
  m.x[0] = 1e308;
  is_int(hed_model_to_map(&m, 2, 8, NULL, &map), HED_E_INVAL, "an atom far away");
  m.x[0] = NAN;
  is_int(hed_model_to_map(&m, 2, 8, NULL, &map), HED_E_INVAL, "an atom nowhere");
}

/* A structure as PDB and as mmCIF has the same atoms. */
static void compare(const char *folder, const char *name) {
  char pdb_path[1024], cif_path[1024];
  hed_model a, b;
  hed_map map;
  snprintf(pdb_path, sizeof pdb_path, "%s/%.*s.pdb", folder, (int)strlen(name) - 4, name);
  snprintf(cif_path, sizeof cif_path, "%s/%s", folder, name);
  hed_status s = hed_model_read(cif_path, &b);
  is_int(s, HED_OK, "%s: %s", name, s ? hed_error_text() : "read");
  s = hed_model_read(pdb_path, &a);
  is_int(s, HED_OK, "%s: %s", pdb_path, s ? hed_error_text() : "read");
  is_uint(a.n, b.n, "... the same number of atoms");
  size_t bytes = (a.n < b.n ? a.n : b.n) * sizeof(double);
  if (bytes > 0) {
    is_mem(a.x, b.x, bytes, "... x");
    is_mem(a.y, b.y, bytes, "... y");
    is_mem(a.z, b.z, bytes, "... z");
    is_mem(a.occupancy, b.occupancy, bytes, "... occupancy");
    is_mem(a.b, b.b, bytes, "... B");
    is_mem(a.atomic_number, b.atomic_number, bytes / sizeof(double), "... elements");
    is_int(hed_model_to_map(&a, 4, 12, NULL, &map), HED_OK, "... has a density");
    hed_map_clear(&map);
  }
  hed_model_clear(&a);
  hed_model_clear(&b);
}

static void structures(void) {
  const char *data = getenv("HEDDLE_TEST_DATA");
  char folder[512];
  if (!data || !*data) {
    skip(1, "HEDDLE_TEST_DATA is not set");
    return;
  }
  snprintf(folder, sizeof folder, "%s/structures", data);
  DIR *d = opendir(folder);
  if (!d)
    snprintf(folder, sizeof folder, "%s", data);
  if (!d && !(d = opendir(folder))) {
    fail("HEDDLE_TEST_DATA: cannot read %s", folder);
    return;
  }
  for (struct dirent *e = readdir(d); e; e = readdir(d))
    if (strlen(e->d_name) > 4 && strcmp(e->d_name + strlen(e->d_name) - 4, ".cif") == 0)
      compare(folder, e->d_name);
  closedir(d);
}

int main(void) {
  kit_folder();
  pdb();
  cif();
  bad_text();
  files();
  density();
  bad_densities();
  structures();
  return done();
}
