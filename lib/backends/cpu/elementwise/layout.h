// SPDX-License-Identifier: BSD-3-Clause
/* How the operands of an elementwise call lie: what layout.c finds, and blocks.c and tiled.c work by. L1. */
#ifndef HED_BACKENDS_CPU_LAYOUT_H
#define HED_BACKENDS_CPU_LAYOUT_H

#include "backends/cpu/elementwise/map.h"
#include "base/nest.h"
#include "base/shape.h"

/* Operands, the result included, which is number 0; bytes of a buffer in the L1 cache, and of one of its lines. */
enum { CPU_MAP_MOST = 4, CPU_MAP_TILE = 4096, CPU_MAP_LINE = 64 };

typedef struct cpu_layout {
  const hed_call *call;
  const cpu_map *map;
  int32_t n;
  int64_t total;                            /* elements */
  int64_t size[CPU_MAP_MOST], own[CPU_MAP_MOST]; /* bytes of an element in the loop, and in memory */
  bool casts;                               /* some operand has another type than the loop's */
  bool flat;                                /* each is one run of the loop's type, or one repeated element: data, step */
  char *data[CPU_MAP_MOST];
  int64_t step[CPU_MAP_MOST];
  bool streams;                             /* the result is large: non-temporal stores */
  bool packs, pack[CPU_MAP_MOST];           /* operands that are every other element of their rows, or lie backwards */
  hed__nest nest;                           /* unless flat and neither of these: all axes, the last one is a row */
  int64_t width, rows;                      /* elements of a row, and how many there are */
  bool even[CPU_MAP_MOST];                  /* evenly spaced from the first element to the last */
  int64_t together;                         /* short rows that make a block; 0: rows are long */
  int32_t across;                           /* an axis along which operands are contiguous, those transposed; -1: none */
  bool transposed[CPU_MAP_MOST];
} cpu_layout;

/* The call by blocks that fit the L1 cache (blocks.c), and by transposed tiles (tiled.c). */
void cpu_map_blocks(cpu_layout *l);
void cpu_map_tiles(const cpu_layout *l);

#endif
