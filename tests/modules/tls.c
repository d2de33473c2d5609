// SPDX-License-Identifier: BSD-3-Clause
/* Takes TLS_BYTES from the static thread-local reserve of the process that opens it. L5. */

static __thread char tls_block[TLS_BYTES] __attribute__((tls_model("initial-exec")));
__attribute__((visibility("default"))) char *tls_address(void);

char *tls_address(void)
{
  return tls_block;
}
