// SPDX-License-Identifier: BSD-3-Clause
/* Folders on the way to a file. L0. */
#ifndef HED_BASE_FOLDERS_H
#define HED_BASE_FOLDERS_H

#include <sys/stat.h>

/* Makes the folders above the last name of PATH that are not there, with MODE. What is wrong the file itself will tell. PATH is
 * written to, and as before at the end. */
static inline void hed__make_folders(char *path, mode_t mode)
{
  for (char *p = path + 1; *p; p++)
    if (*p == '/') {
      *p = 0;
      (void)mkdir(path, mode);
      *p = '/';
    }
}

#endif
