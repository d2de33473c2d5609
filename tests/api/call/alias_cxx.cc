// SPDX-License-Identifier: BSD-3-Clause
// Other names of operations in C++.
#include "alias.h"

int main()
{
  alias_check("C++");
  done_testing();
  return done();
}
