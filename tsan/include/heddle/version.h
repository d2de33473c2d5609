// SPDX-License-Identifier: BSD-3-Clause
/* Version of the headers, and of the library that runs. */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

#include <heddle/export.h>

HED_BEGIN_DECLS

#define HED_VERSION_MAJOR 0
#define HED_VERSION_MINOR 1
#define HED_VERSION_PATCH 0
#define HED_VERSION "0.1.0"

/* Version of the library at run time, "major.minor.patch". Static. */
HED_API const char *hed_version(void);

HED_END_DECLS

#endif
