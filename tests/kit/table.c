// SPDX-License-Identifier: BSD-3-Clause
/* Tables of particles: what is written, byte by byte; what is read, in any order of columns;
 * and what is refused.
 */
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/table.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char names[] =
    "id\tz\ty\tx\tz_angstrom\ty_angstrom\tx_angstrom\tphi\ttheta\tpsi\tscore\n";

static void written(void) {
  hed_table_row row[2] = {
      {.id = 1, .position = {1, 2.5, 3}, .angstrom = {10, 25, -30.125},
       .euler = {-180, 90, 0.1}, .score = 0.875},
      {.id = -7, .position = {0, -0.0, 1e-12}, .angstrom = {0, 0, 0},
       .euler = {0, 0, 0}, .score = 1.0 / 3}};
  hed_table t = {.n = 2, .row = row};
  char want[512];
  size_t n = 0;
  snprintf(want, sizeof want, "# found by hand\n%s%s%s", names,
           "1\t1\t2.5\t3\t10\t25\t-30.125\t-180\t90\t0.1\t0.875\n",
           "-7\t0\t0\t1e-12\t0\t0\t0\t0\t0\t0\t0.333333333\n");
  is_int(hed_table_write(kit_path("t.tsv"), &t, "found by hand"), HED_OK, "a table is written");
  char *text = (char *)kit_read(kit_path("t.tsv"), &n);
  is_str(text ? text : "", want, "... as the header says");
  free(text);

  hed_table back;
  is_int(hed_table_read(kit_path("t.tsv"), &back), HED_OK, "... and read");
  is_uint(back.n, 2, "... two rows");
  if (back.n == 2) {
    ok(memcmp(&back.row[0], &row[0], sizeof row[0]) == 0, "... the first is the same");
    ok(back.row[1].id == -7, "... the second's id");
    is_near(back.row[1].score, 1.0 / 3, 1e-9, 0, "... and score, to nine digits");
  }
  hed_table_clear(&back);
  ok(back.n == 0 && back.row == NULL, "clear leaves nothing");

  t = (hed_table){0};
  is_int(hed_table_write(kit_path("t.tsv"), &t, NULL), HED_OK, "an empty table");
  text = (char *)kit_read(kit_path("t.tsv"), &n);
  is_str(text ? text : "", names, "... is its names alone");
  free(text);
  is_int(hed_table_read(kit_path("t.tsv"), &back), HED_OK, "... and is read");
  is_uint(back.n, 0, "... without rows");
  hed_table_clear(&back);
}

static hed_status read_text(const char *text, size_t n, hed_table *t) {
  kit_write(kit_path("in.tsv"), text, n);
  return hed_table_read(kit_path("in.tsv"), t);
}

static void read_back(void) {
  hed_table t;
  const char text[] = "\n# a comment\nscore\tx\tignored\ty\tz\r\n0.5\t3\tabc\t2\t1\r\n"
                      "#1\n\n-1e-3\t 6 \t\t5\t4";
  is_int(read_text(text, sizeof text - 1, &t), HED_OK, "columns in any order: %s",
         hed_error_text());
  is_uint(t.n, 2, "... two rows");
  if (t.n == 2) {
    ok(t.row[0].position[0] == 1 && t.row[0].position[1] == 2 && t.row[0].position[2] == 3,
       "... z, y, x by name");
    ok(t.row[1].position[2] == 6 && t.row[1].score == -1e-3, "... blanks around a number");
    ok(t.row[0].id == 1 && t.row[1].id == 2, "... ids are counted");
    ok(t.row[0].euler[1] == 0 && t.row[0].angstrom[0] == 0, "... the rest is 0");
  }
  hed_table_clear(&t);
  /* more rows than the first allocation holds */
  size_t rows = 5000, n = 0;
  char *many = malloc(rows * 32 + 16);
  if (!many)
    bail("no memory");
  n = (size_t)sprintf(many, "z\ty\tx\n");
  for (size_t i = 0; i < rows; i++)
    n += (size_t)sprintf(many + n, "%zu\t%zu\t%zu\n", i, i + 1, i + 2);
  is_int(read_text(many, n, &t), HED_OK, "five thousand rows");
  ok(t.n == rows && t.row[rows - 1].position[2] == (double)rows + 1, "... all of them");
  hed_table_clear(&t);
  free(many);
}

static void refused(const char *text, size_t n, const char *part, const char *name) {
  hed_table t;
  memset(&t, 0x5a, sizeof t);
  is_int(read_text(text, n, &t), HED_E_FORMAT, "%s", name);
  has_str(hed_error_text(), part, "... says so");
  ok(t.n == 0 && t.row == NULL, "... and gives nothing");
}
#define REFUSED(text, part, name) refused(text, sizeof(text) - 1, part, name)

static void bad_tables(void) {
  REFUSED("", "no line of column names", "an empty file");
  REFUSED("# nothing\n\n", "no line of column names", "comments alone");
  REFUSED("z y x\n1 2 3\n", "starts with 'z y x'", "blanks instead of tabs");
  REFUSED("z\ty\tx\tz\n", "names column 'z' twice", "a name twice");
  REFUSED("z\ty\tx\n1\t2\n", "line 2 has 2 fields instead of 3", "a short row");
  REFUSED("z\ty\tx\n1\t2\t3\n1\t2\t3\t4\n", "line 3 has 4 fields instead of 3", "a long row");
  REFUSED("z\ty\tx\n1\t2\tthree\n", "x is 'three', no number", "a word");
  REFUSED("z\ty\tx\n1\tnan\t3\n", "y is 'nan'", "NaN");
  REFUSED("z\ty\tx\n1\t\t3\n", "y is ''", "nothing");
  REFUSED("z\ty\tx\n1\t2,5\t3\n", "y is '2,5'", "a decimal comma");
  REFUSED("id\tz\ty\tx\n1.5\t1\t2\t3\n", "id is '1.5', not a whole number", "half an id");
  REFUSED("id\tz\ty\tx\n1e300\t1\t2\t3\n", "id is '1e300'", "a huge id");
  REFUSED("z\ty\tx\n1\t2\t\0\n", "x is", "binary content");
  size_t n = 100000;
  char *wide = malloc(n);
  if (!wide)
    bail("no memory");
  memset(wide, '\t', n);
  refused(wide, n, "no line of column names", "a line of tabs");
  memset(wide, '9', n);
  memcpy(wide, "z\ty\tx\n1\t2\t", 10);
  refused(wide, n, "no number", "a giant number");
  free(wide);
  hed_table t;
  is_int(hed_table_read(kit_path("absent.tsv"), &t), HED_E_IO, "no such file");
  is_int(hed_table_read("/", &t), HED_E_IO, "a folder");
  is_int(hed_table_read(NULL, &t), HED_E_INVAL, "no path");
}

static void bad_writes(void) {
  hed_table_row row[2] = {{.id = 1}, {.id = 2}};
  hed_table t = {.n = 2, .row = row};
  int before = kit_count();
  is_int(hed_table_write(kit_path("no.tsv"), &t, "a\nb"), HED_E_INVAL, "a comment in two lines");
  is_int(hed_table_write(kit_path("no/no.tsv"), &t, NULL), HED_E_IO, "no such folder");
  is_int(hed_table_write(kit_path("no.tsv"), NULL, NULL), HED_E_INVAL, "no table");
  row[1].euler[2] = NAN;
  is_int(hed_table_write(kit_path("no.tsv"), &t, NULL), HED_E_INVAL, "NaN");
  has_str(hed_error_text(), "row 1", "... says the row");
  has_str(hed_error_text(), "psi = nan", "... and the column");
  is_int(kit_count(), before, "no file is left");
  size_t n = 0;
  hed_table_row *many = calloc(20000, sizeof *many);
  t = (hed_table){.n = 20000, .row = many};
  kit_write(kit_path("kept.tsv"), "precious", 8);
  before = kit_count();
  kit_limit_file_size(65536);
  is_int(hed_table_write(kit_path("kept.tsv"), &t, NULL), HED_E_IO, "a full disk");
  kit_limit_file_size(0);
  char *text = (char *)kit_read(kit_path("kept.tsv"), &n);
  is_str(text ? text : "", "precious", "the file from before is untouched");
  is_int(kit_count(), before, "... and alone");
  free(text);
  free(many);
}

static void decimal_comma(void) {
  hed_table_row row = {.id = 1, .position = {1.5, 2.5, 3.5}};
  hed_table t = {.n = 1, .row = &row}, back;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    skip(3, "no locale de_DE.UTF-8");
    return;
  }
  is_int(hed_table_write(kit_path("t.tsv"), &t, NULL), HED_OK, "with a decimal comma");
  is_int(hed_table_read(kit_path("t.tsv"), &back), HED_OK, "... there and back");
  ok(back.n == 1 && back.row[0].position[1] == 2.5, "... the same number");
  hed_table_clear(&back);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  kit_folder();
  written();
  read_back();
  bad_tables();
  bad_writes();
  decimal_comma();
  return done();
}
