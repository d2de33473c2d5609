// SPDX-License-Identifier: BSD-3-Clause
/* Element symbols to atomic numbers (IUPAC, 118 elements).
 *
 * Layer: L4, match kit. The string holds two characters per element, in order.
 */
#include "kits/match/files/model_internal.h"

static const char symbols[] =
    "H HELIBEB C N O F NENAMGALSIP S CLARK CASCTIV CRMNFECONICUZNGAGEASSEBRKR"
    "RBSRY ZRNBMOTCRURHPDAGCDINSNSBTEI XECSBALACEPRNDPMSMEUGDTBDYHOERTMYBLUHF"
    "TAW REOSIRPTAUHGTLPBBIPOATRNFRRAACTHPAU NPPUAMCMBKCFESFMMDNOLRRFDBSGBHHS"
    "MTDSRGCNNHFLMCLVTSOG";

static char upper(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

int hed__element(const char *symbol, size_t n) {
  if (n < 1 || n > 2)
    return -1;
  char a = upper(symbol[0]), b = n == 2 ? upper(symbol[1]) : ' ';
  if (b == ' ' && (a == 'D' || a == 'X'))
    return a == 'D' ? 1 : 0;
  if (a < 'A' || a > 'Z' || (b != ' ' && (b < 'A' || b > 'Z')))
    return -1;
  for (int z = 1; z <= 118; z++)
    if (symbols[2 * z - 2] == a && symbols[2 * z - 1] == b)
      return z;
  return -1;
}
