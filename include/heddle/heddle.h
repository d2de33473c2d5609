// SPDX-License-Identifier: BSD-3-Clause
/* The same as <heddle.h>. */
#include <heddle.h>
