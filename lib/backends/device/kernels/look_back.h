// SPDX-License-Identifier: BSD-3-Clause
/* Counts of parts that were numbered as groups began, so that those before have begun (args_sort.h, args_gather.h). L1. */
#ifndef DEVICE_CPU

/* What parts before have, when this one has OWN, below SOME with them: by a word of 32 bits for each part and each of WORDS_OF
 * counts: 0, then a count of the part alone with SOME, then of it and those before with ALL. Sums of whole numbers are the same in
 * any order. */
#define SOME 0x40000000u
#define ALL 0x80000000u
FN uint32_t looked_back(GLOBAL uint32_t *word, int32_t words_of, bool first, uint32_t own)
{
  uint32_t before = 0, seen = first ? ALL : 0;
  if (!first)
    PUT_U32(word, SOME | own);
  for (GLOBAL uint32_t *w = word; !(seen & ALL);) {
    w -= words_of;
    while ((seen = LOOK_U32(w)) == 0)
      ;
    before += seen & (SOME - 1);
  }
  PUT_U32(word, ALL | (before + own));
  return before;
}
#endif
