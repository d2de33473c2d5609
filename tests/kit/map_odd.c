// SPDX-License-Identifier: BSD-3-Clause
/* Maps as programs of the field write them and the format's table does not have them: stamps that say nothing, bytes behind
 * the end, volumes of space group 0, 4-bit values, NaN, EM files, files compressed with gzip.
 */
#include "mrc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static hed_map read_odd(const char *path, const hed_map_reading *opt, const char *warning, const char *name) {
  hed_map m;
  if (!ok(hed_map_read_as(path, opt, &m) == HED_OK, "%s", name))
    diag("%s", hed_error_text());
  if (*warning)
    has_str(m.warning, warning, "%s: the warning", name);
  else
    is_str(m.warning, "", "%s: no warning", name);
  return m;
}

/* What programs of the field write and the format's table does not have. */
static void odd_files(void) {
  static const uint8_t stamps[4][2] = {{0, 0}, {0x44, 0}, {0x44, 0x20}, {0xff, 0xff}};
  for (int big = 0; big < 2; big++)
    for (int k = 0; k < 4; k++) {
      image f = header(big, 3, 2, 2, 2);
      for (int i = 0; i < 12; i++)
        append(&f, float_bits((float)i), 4);
      memcpy(f.b + 212, stamps[k], 2);
      hed_map m = read_odd(save(&f), NULL, big ? "big-endian" : "little-endian", "a stamp that says nothing");
      ok(fetch(&m, 12) && values[11] == 11, "... and its values");
      hed_map_clear(&m);
    }
  image f = header(false, 3, 2, 2, 2);
  for (int i = 0; i < 12; i++)
    append(&f, float_bits((float)i), 4);
  append(&f, 7, 4);
  append(&f, 7, 3);
  hed_map m = read_odd(save(&f), NULL, "7 bytes behind", "bytes behind the last voxel");
  ok(fetch(&m, 12) && values[11] == 11, "... and its values");
  hed_map_clear(&m);

  /* Space group 0: MZ says whether it is a volume. */
  for (int mz = 1; mz <= 2; mz++)
    for (int forced = 0; forced < 2; forced++) {
      f = header(false, 3, 2, 2, 0);
      word(&f, 23, 0);
      word(&f, 10, (uint32_t)mz);
      f.n += 12;
      m = read_odd(save(&f), &(hed_map_reading){.volume = forced}, "", "space group 0");
      ok(m.stack == (mz == 1 && !forced), "MZ %d%s: %s", mz, forced ? ", told to be a volume" : "",
         m.stack ? "a stack" : "a volume");
      hed_map_clear(&m);
    }

  /* Five values of 4 bits a row, the first in the lower half: three bytes. */
  for (int permuted = 0; permuted < 2; permuted++) {
    f = header(false, 5, 2, 1, 101);
    if (permuted) {
      word(&f, 17, 2);
      word(&f, 18, 1);
    }
    static const uint8_t packed[6] = {0x21, 0x43, 0xf5, 0x98, 0xba, 0x0c};
    memcpy(f.b + f.n, packed, 6);
    f.n += 6;
    m = read_odd(save(&f), NULL, "", "4-bit values");
    static const float want[2][10] = {{1, 2, 3, 4, 5, 8, 9, 10, 11, 12}, {1, 8, 2, 9, 3, 10, 4, 11, 5, 12}};
    ok(fetch(&m, 10), "... are there");
    is_mem(values, want[permuted], sizeof want[0], "... one after the other%s", permuted ? ", along y" : "");
    hed_map_clear(&m);
  }

  f = header(false, 4, 1, 1, 2);
  for (int i = 0; i < 4; i++)
    append(&f, float_bits(i == 2 ? NAN : (float)i), 4);
  m = read_odd(save(&f), &(hed_map_reading){.nan_mean = true}, "1 NaN voxels", "NaN as the mean");
  is_near(fetch(&m, 4) ? (double)values[2] : 0, 4.0 / 3, 1e-6, 0, "... of the others");
  hed_map_clear(&m);

  /* EM: machine 6 is a PC, 5 a Mac; type 2 int16, 5 float32. */
  static const struct { uint8_t machine, type; int bytes; uint32_t raw; float want; } em[] = {
      {6, 5, 4, 0x40200000, 2.5f}, {5, 5, 4, 0x40200000, 2.5f}, {6, 2, 2, 0xfffe, -2}, {3, 2, 2, 258, 258}, {6, 1, 1, 0xff, -1}};
  for (size_t k = 0; k < sizeof em / sizeof *em; k++) {
    image e = {.big = em[k].machine != 6, .n = 512};
    e.b[0] = em[k].machine;
    e.b[3] = em[k].type;
    put(&e, 4, 2, 4);
    put(&e, 8, 3, 4);
    put(&e, 12, 2, 4);
    for (int i = 0; i < 12; i++)
      append(&e, i == 7 ? em[k].raw : 0, em[k].bytes);
    m = read_odd(save(&e), NULL, "", "an EM file");
    const hed_shape s = m.data ? hed_array_shape(m.data) : HED_SHAPE0;
    ok(s.ndim == 3 && s.dim[0] == 2 && s.dim[1] == 3 && s.dim[2] == 2, "... of 2 x 3 x 2");
    ok(fetch(&m, 12) && values[7] == em[k].want, "machine %d, type %d", em[k].machine, em[k].type);
    hed_map_clear(&m);
  }
}

static int run(const char *command) {
  return system(command);
}

/* Compressed with gzip: the same map; cut off or damaged: refused. */
static void compressed(void) {
  char command[400];
  image f = header(true, 16, 15, 14, 1);
  for (int i = 0; i < 16 * 15 * 14; i++)
    append(&f, (uint32_t)i, 2);
  save(&f);
  snprintf(command, sizeof command, "gzip -kf '%s'", kit_path("in.mrc"));
  if (run(command) != 0) {
    skip(4, "no gzip");
    return;
  }
  hed_map m = read_odd(kit_path("in.mrc.gz"), NULL, "", "a compressed map");
  ok(fetch(&m, 16 * 15 * 14) && values[3359] == 3359 && values[17] == 17, "... has its values");
  hed_map_clear(&m);
  size_t n;
  uint8_t *bytes = kit_read(kit_path("in.mrc.gz"), &n);
  kit_write(kit_path("cut.mrc.gz"), bytes, n / 2);
  hed_error_clear();
  is_int(hed_map_read(kit_path("cut.mrc.gz"), &m), HED_E_FORMAT, "half of it");
  ok(!m.data && strstr(hed_error_text(), "cut.mrc.gz"), "is refused by name: %s", hed_error_text());
  free(bytes);
}

int main(void) {
  kit_folder();
  odd_files();
  compressed();
  done_testing();
  return done();
}
