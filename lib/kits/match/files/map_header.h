// SPDX-License-Identifier: BSD-3-Clause
/* The 1024-byte header of an MRC2014/CCP4 file, as a struct.
 *
 * Layer: L4, match kit, internal. Triples here are in FILE order: columns, rows, sections
 * for n and start, x, y, z for m, cell, angle and origin.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_MAP_HEADER_H
#define HEDDLE_KITS_MATCH_FILES_MAP_HEADER_H
#include <heddle.h>

enum { HED__MAP_HEADER_BYTES = 1024, HED__EM_HEADER_BYTES = 512 };

typedef struct hed__map_header {
  int32_t n[3], mode, start[3], m[3], axis[3];
  float cell[3], angle[3], origin[3];
  float dmin, dmax, dmean, rms;
  int32_t space_group, extended_bytes;
  int32_t imod_stamp, imod_flags;
  bool big_endian;
  uint64_t data;       /* where the values begin            */
  char warning[160];   /* what was odd; "": nothing         */
  char label[81];
} hed__map_header;

/* Bytes of one value of a mode that is written, 0 for any other. */
size_t hed__map_mode_bytes(int mode);

/* Bytes of N values in a row; of mode 101 two share a byte. 0 for a mode that is not read. */
uint64_t hed__map_row_bytes(int mode, uint64_t n);

/* Appends to a header's warning. */
void hed__map_warn(hed__map_header *h, const char *format, ...) HED_PRINTF(2, 3);

/* The header of an EM file (Hegerl's, of 512 bytes) of SIZE bytes, and of nothing else: false then. */
bool hed__em_header_parse(const uint8_t *bytes, size_t n, uint64_t size, hed__map_header *h);

/* Parses and checks a header, all but its agreement with the file's size. */
hed_status hed__map_header_parse(const char *op, const char *path, const uint8_t *bytes,
                                 hed__map_header *h);

/* The header's bytes, always little-endian. */
void hed__map_header_build(const hed__map_header *h, uint8_t *bytes);

/* Values of a mode to float32 and back. `big`: the bytes are big-endian (writing: never).
 * Encoding expects values that hed__map_fits() has passed. */
void hed__map_decode(int mode, bool unsigned_bytes, bool big, const uint8_t *src, size_t n,
                     float *dst); /* of mode 101 one row */
void hed__map_encode(int mode, const float *src, size_t n, uint8_t *dst);

/* The value that the file holds after encoding v; false if the mode cannot hold it. */
bool hed__map_fits(int mode, float v, float *stored);

#endif
