// SPDX-License-Identifier: BSD-3-Clause
/* A module that refers to a function nobody defines: the loader must say so when it is opened, not later. L5. */
#include <heddle/backend.h>

extern int chameleon_of_another_world(void);
HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor)
{
  static hed_plugin plugin;
  plugin.struct_size = (uint32_t)chameleon_of_another_world() + major + minor;
  return &plugin;
}
