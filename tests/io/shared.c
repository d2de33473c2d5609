// SPDX-License-Identifier: BSD-3-Clause
/* Shared-memory arrays: another process, started anew, attaches and answers; names go when they should; hostile segments.
 *
 * The program runs itself as the other process: `io/shared.t --attach TOKEN`.
 */
#include "arrays.h"
#include "tap.h"

#include <heddle.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;

/* The other process: checks what it sees, negates it in place; its exit status tells. */
static int other(const char *token)
{
  hed_array *r = hed_from_shared(token, true), *x = hed_from_shared(token, false), *sum = hed_sum(x, NULL);
  double v = 0;
  if (!r || !x || hed_item(sum, &v) != HED_OK || v != 15 || hed_array_dtype(x) != HED_FLOAT64)
    return 3;
  if (!hed_array_is_read_only(r) || hed_fill(r, 0) != HED_E_INVAL || hed_array_is_read_only(x))
    return 4;
  int status = hed_negative_into(x, x) == HED_OK ? 0 : 5;
  RELEASE(r, x, sum);
  return status;
}

static int attach_elsewhere(const char *token)
{
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, "--attach", token, (char *)NULL);
    _exit(9);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool exists(const char *token)
{
  int fd = shm_open(token, O_RDONLY, 0);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void two_processes(void)
{
  char token[HED_SHARED_TOKEN] = "";
  hed_array *a = hed_arange(0, 6, 1, HED_FLOAT64), *m = hed_reshape(a, HED_SHAPE(2, 3)), *t = hed_transpose(m, NULL);
  hed_array *x = hed_to_shared(t, NULL, token);
  ok(x && token[0] == '/', "made: %s (%s)", token, hed_error_text());
  ok(hed_array_shape(x).dim[0] == 3 && hed_array_is_contiguous(x), "a copy in C order");
  is_int(attach_elsewhere(token), 0, "another process attaches, sees the elements and writes");
  double got[6], want[6] = { -0.0, -3, -1, -4, -2, -5 };
  hed_to_host(x, got, sizeof got);
  ok(memcmp(got, want, sizeof got) == 0, "which is seen here");
  hed_array *y = hed_from_shared(token, true), *view = hed_index(x, 0, 0);
  hed_release(x);
  ok(exists(token), "a view keeps the name");
  hed_release(view);
  ok(!exists(token), "which goes with the last reference");
  hed_to_host(y, got, sizeof got);
  ok(memcmp(got, want, sizeof got) == 0, "who attached keeps the memory");
  is_ptr(hed_from_shared(token, true), NULL, "nobody else attaches");
  is_int(hed_error(), HED_E_NOTFOUND, "%s", hed_error_text());
  hed_array *all[] = { a, m, t, y };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void forked(void)
{
  char token[HED_SHARED_TOKEN];
  hed_array *x = hed_shared_new(HED_SHAPE(4), HED_INT32, NULL, token);
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    ((int32_t *)hed_array_data(x))[2] = 42;
    hed_release(x);
    _exit(0);
  }
  waitpid(child, &status, 0);
  int32_t v[4];
  hed_to_host(x, v, sizeof v);
  ok(v[0] == 0 && v[2] == 42, "a forked child shares it too");
  ok(exists(token), "and does not remove the name when it releases");
  hed_release(x);
  ok(!exists(token), "the maker does");
}

static void names(void)
{
  char name[HED_SHARED_TOKEN], token[HED_SHARED_TOKEN], none[HED_SHARED_TOKEN] = "unchanged";
  snprintf(name, sizeof name, "/heddle-test-%ld", (long)getpid());
  hed_array *x = hed_shared_new(HED_SHAPE(0, 3), HED_COMPLEX64, &(hed_shared){ .name = name, .keep = true }, token);
  is_str(token, name, "a name of one's own");
  is_ptr(hed_shared_new(HED_SHAPE(1), HED_INT8, &(hed_shared){ .name = name }, none), NULL, "not twice");
  ok(hed_error() == HED_E_BUSY && strcmp(none, "unchanged") == 0, "%s", hed_error_text());
  hed_release(x);
  x = hed_from_shared(token, false);
  ok(x && hed_array_shape(x).dim[1] == 3 && hed_array_size(x) == 0, "kept: attached after the maker let go; no elements");
  hed_release(x);
  is_int(hed_shared_unlink(token), HED_OK, "removed on request");
  is_int(hed_shared_unlink(token), HED_E_NOTFOUND, "once");
  is_int(hed_shared_unlink("no-slash"), HED_E_INVAL, "%s", hed_error_text());
  is_int(hed_shared_unlink("/a/b"), HED_E_INVAL, "%s", hed_error_text());
  is_int(hed_shared_unlink(NULL), HED_E_INVAL, "%s", hed_error_text());
  is_ptr(hed_from_shared("/", true), NULL, "an empty name");
  is_ptr(hed_shared_new(HED_SHAPE(1), HED_INT8, NULL, NULL), NULL, "nowhere for the token");
  is_ptr(hed_to_shared(NULL, NULL, token), NULL, "no array");
  is_ptr(hed_shared_new(HED_SHAPE(INT64_C(1) << 45), HED_INT8, NULL, none), NULL, "more than there is");
  ok(hed_error() == HED_E_NOMEM || hed_error() == HED_E_IO, "%s", hed_error_text());
}

/* A segment whose description is V bytes with byte AT changed to VALUE. */
static void hostile(void)
{
  char token[HED_SHARED_TOKEN], bad[HED_SHARED_TOKEN];
  hed_array *x = hed_shared_new(HED_SHAPE(2, 3), HED_FLOAT32, NULL, token);
  unsigned char head[256];
  int fd = shm_open(token, O_RDONLY, 0), accepted = 0, silent = 0;
  ok(fd >= 0 && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head, "the description");
  close(fd);
  snprintf(bad, sizeof bad, "/heddle-bad-%ld", (long)getpid());
  for (int at = 0; at < (int)sizeof head; at++)
    for (int bit = 0; bit < 8; bit++) {
      head[at] ^= (unsigned char)(1 << bit);
      fd = shm_open(bad, O_RDWR | O_CREAT | O_TRUNC, 0600);
      if (ftruncate(fd, 4096 + 24) != 0 || pwrite(fd, head, sizeof head, 0) != (ssize_t)sizeof head)
        bail("no segment");
      close(fd);
      hed_error_clear();
      hed_array *y = hed_from_shared(bad, true);
      accepted += y && hed_array_nbytes(y) > 24;
      silent += !y && !*hed_error_text();
      hed_release(y);
      head[at] ^= (unsigned char)(1 << bit);
    }
  is_int(accepted, 0, "no damaged description makes a larger array than there is memory");
  is_int(silent, 0, "and what is refused is so in words");
  fd = shm_open(bad, O_RDWR | O_TRUNC, 0600);
  close(fd);
  is_ptr(hed_from_shared(bad, true), NULL, "an empty segment");
  is_int(hed_error(), HED_E_FORMAT, "%s", hed_error_text());
  shm_unlink(bad);
  hed_release(x);
}

int main(int argc, char **argv)
{
  self = argv[0];
  if (argc == 3 && strcmp(argv[1], "--attach") == 0)
    return other(argv[2]);
  int fd = shm_open("/heddle-probe", O_RDWR | O_CREAT, 0600);
  if (fd < 0)
    skip_all("no POSIX shared memory here");
  close(fd);
  shm_unlink("/heddle-probe");
  two_processes();
  forked();
  names();
  hostile();
  return done();
}
