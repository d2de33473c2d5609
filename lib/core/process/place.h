// SPDX-License-Identifier: BSD-3-Clause
/* Where this library is, and so where its modules are. L2. */
#ifndef HED_CORE_PLACE_H
#define HED_CORE_PLACE_H

/* The folder of the modules that belong to the library that asks: beside it, where it has been moved or is part of a bundle, so
 * that it never loads another installation's; else the compiled-in one. */
const char *hed__module_folder(void);

#endif
