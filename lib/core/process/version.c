// SPDX-License-Identifier: BSD-3-Clause
/* The version of the library that runs, which may be newer than the headers of a program. L2. */
#include <heddle/version.h>

const char *hed_version(void)
{
  return HED_VERSION;
}
