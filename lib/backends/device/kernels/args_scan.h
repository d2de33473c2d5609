// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family scan. L1.
 *
 * Operand and result are x[a, r, c], along r, which is done in PARTS parts of CHUNK elements. ROW_parts leaves what each part comes
 * to in states of 8 bytes, complex 16, number (a, c, part); ROW_offsets, of n[0] n[2] items, makes of them what
 * comes before each part; ROW_write scans. With one part ROW_write is enough. For devices other than processors, where n[2] is 1,
 * ROW_lane_parts, ROW_lane_offsets and ROW_lanes do the same, a group per part, per line and per part; CHUNK is a multiple of
 * HED__SCAN_EACH times the group.
 * Where groups may wait for groups that began before them (looks_back), ROW_tiles is all of it, in one pass: a group per part of
 * CHUNK = HED__SCAN_TILE times the group, parts being numbered as groups begin. It takes states for each part, then for each window
 * of each line, as many parts as a group has items; and words of 32 bits, 0 before: how many groups have begun, then whether each
 * state is there. What comes before a part is what comes before its window, then, in a fixed order, the parts of the window, so
 * results are the same every time. */
#ifndef HED_DEVICE_ARGS_SCAN_H
#define HED_DEVICE_ARGS_SCAN_H

#include "args.h"

#define HED__SCAN_EACH 4
#define HED__SCAN_TILE 16
/* Elements of a row that an item of softmax holds, of a type of so many bytes. */
#define HED__SOFTMAX_HELD(bytes) ((bytes) == 8 ? 4 : 32)

typedef struct hed__scan_args {
  i64 n[3];
  i64 from[3], to[3]; /* strides */
  i64 parts, chunk;
} hed__scan_args;

#endif
