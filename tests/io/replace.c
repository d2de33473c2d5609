// SPDX-License-Identifier: BSD-3-Clause
/* Files that take another's place, by every function that writes one: what is no regular file is refused, links are followed,
 * modes are kept, nothing is left behind when the disk is full or the size limited, and a folder that cannot be put on disk is
 * told.
 */
#include "kit_files.h"
#include "tap.h"
#include <errno.h>
#include <heddle.h>
#include <heddle/kits/map.h>
#include <heddle/kits/table.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* In place of libc's: fails for files of a type, 0: for none. */
static mode_t cannot_sync;

HED_API int fsync(int fd)
{
  struct stat st;
  if (cannot_sync && fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == cannot_sync) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fsync, fd);
}

static hed_array *values; /* float32, 32 x 1024 */

static hed_status write_npy(const char *path) { return hed_save_npy(path, values); }

static hed_status write_npz(const char *path)
{
  return hed_save_npz(path, 1, (const char *const[]){ "x" }, (const hed_array *const[]){ values }, false);
}

static hed_status create_npy(const char *path)
{
  hed_array *x = hed_create_npy(path, HED_SHAPE(32, 1024), HED_FLOAT32);
  hed_release(x);
  return x ? HED_OK : hed_error();
}

static hed_status write_map(const char *path)
{
  const hed_map m = { .data = values };
  return hed_map_write(path, &m, 2);
}

static hed_status write_table(const char *path)
{
  enum { ROWS = 4096 };
  hed_table t = { .row = calloc(ROWS, sizeof *t.row), .n = ROWS };
  if (!t.row)
    bail("no memory");
  const hed_status status = hed_table_write(path, &t, NULL);
  free(t.row);
  return status;
}

static hed_status write_file(const char *path)
{
  hed_file *f = NULL;
  hed_status status = hed_file_create("test", path, &f);
  for (int k = 0; k < 20000 && status == HED_OK; k++)
    status = hed_file_print(f, "%05d\n", k);
  return hed_file_close(f, status);
}

static const struct writer {
  const char *name;
  hed_status (*write)(const char *path);
} writers[] = { { "save_npy", write_npy },   { "save_npz", write_npz },      { "create_npy", create_npy },
                { "map_write", write_map },  { "table_write", write_table }, { "file_write", write_file } };

static void put_old(const char *path, mode_t mode)
{
  kit_write(path, "precious", 8);
  if (chmod(path, mode) != 0)
    bail("chmod: %s", strerror(errno));
}

static bool is_old(const char *path)
{
  size_t n = 0;
  uint8_t *b = kit_read(path, &n);
  const bool same = b && n == 8 && memcmp(b, "precious", 8) == 0;
  free(b);
  return same;
}

static mode_t mode_of(const char *path)
{
  struct stat st;
  return lstat(path, &st) == 0 ? st.st_mode : 0;
}

static void refused(const struct writer *w, const char *path, mode_t type, const char *what)
{
  hed_error_clear();
  is_int(w->write(path), HED_E_IO, "%s: %s is refused", w->name, what);
  has_str(hed_error_text(), path, "%s: ... by its name", w->name);
  ok((mode_of(path) & S_IFMT) == type, "%s: ... and stays", w->name);
}

static void special(const struct writer *w)
{
  if (mkfifo(kit_path("fifo"), 0600) == 0)
    refused(w, kit_path("fifo"), S_IFIFO, "a FIFO");
  if (mknod(kit_path("device"), S_IFCHR | 0600, makedev(1, 3)) == 0)
    refused(w, kit_path("device"), S_IFCHR, "a device");
  else
    skip(3, "%s: no device can be made here", w->name);
  if (mkdir(kit_path("folder"), 0700) == 0)
    refused(w, kit_path("folder"), S_IFDIR, "a folder");
  if (symlink("fifo", kit_path("to fifo")) == 0)
    refused(w, kit_path("to fifo"), S_IFLNK, "a link to a FIFO");
  if (symlink("loop", kit_path("loop")) == 0)
    refused(w, kit_path("loop"), S_IFLNK, "a link to itself");
  is_int(kit_count(), mode_of(kit_path("device")) ? 5 : 4, "%s: nothing else is left", w->name);
  rmdir(kit_path("folder"));
  kit_clear();
}

static void links(const struct writer *w)
{
  struct stat st;
  put_old(kit_path("target"), 0640);
  if (symlink("target", kit_path("link")) || symlink(kit_path("link"), kit_path("far")) || symlink("new", kit_path("dangling")))
    bail("symlink: %s", strerror(errno));
  is_int(w->write(kit_path("far")), HED_OK, "%s: through two links", w->name);
  ok(S_ISLNK(mode_of(kit_path("far"))) && S_ISLNK(mode_of(kit_path("link"))), "%s: ... which stay", w->name);
  is_int((long long)mode_of(kit_path("target")), S_IFREG | 0640, "%s: ... to a file, whose mode is kept", w->name);
  ok(stat(kit_path("far"), &st) == 0 && st.st_size > 60000, "%s: ... and whose contents are new", w->name);
  const mode_t mask = umask(027);
  is_int(w->write(kit_path("dangling")), HED_OK, "%s: through a link to nothing", w->name);
  umask(mask);
  ok(S_ISLNK(mode_of(kit_path("dangling"))), "%s: ... which stays", w->name);
  is_int((long long)mode_of(kit_path("new")), S_IFREG | 0640, "%s: ... and the new file has the usual mode", w->name);
  is_int(kit_count(), 5, "%s: nothing else is left", w->name);
  kit_clear();
}

static void modes(const struct writer *w)
{
  static const mode_t mode[] = { 0600, 0644, 0666, 0755, 0440 };
  for (size_t k = 0; k < sizeof mode / sizeof *mode; k++) {
    put_old(kit_path("x"), mode[k]);
    if (access(kit_path("x"), W_OK) != 0) {
      is_int(w->write(kit_path("x")), HED_E_IO, "%s: a file that may not be written", w->name);
      ok(is_old(kit_path("x")), "%s: ... stays", w->name);
    } else {
      is_int(w->write(kit_path("x")), HED_OK, "%s: over a file of mode %o", w->name, (unsigned)mode[k]);
      is_int((long long)mode_of(kit_path("x")), (long long)(S_IFREG | mode[k]), "%s: ... which is kept", w->name);
    }
    unlink(kit_path("x"));
  }
}

static void syncing(const struct writer *w)
{
  put_old(kit_path("x"), 0644);
  cannot_sync = S_IFREG;
  is_int(w->write(kit_path("x")), HED_E_IO, "%s: contents that do not reach the disk", w->name);
  ok(is_old(kit_path("x")) && kit_count() == 1, "%s: ... change nothing", w->name);
  cannot_sync = S_IFDIR;
  is_int(w->write(kit_path("x")), HED_E_IO, "%s: a folder that does not reach the disk", w->name);
  cannot_sync = 0;
  has_str(hed_error_text(), "folder", "%s: ... is told", w->name);
  ok(!is_old(kit_path("x")) && kit_count() == 1, "%s: ... the file is in its place", w->name);
  kit_clear();
}

/* In a process of its own, whose signals are as usual. */
static int limited(const struct writer *w)
{
  const struct rlimit most = { 40000, 40000 };
  sigset_t pending;
  setrlimit(RLIMIT_FSIZE, &most);
  if (w->write(kit_path("x")) != HED_E_IO || !is_old(kit_path("x")) || kit_count() != 1)
    return 1;
  if (!strstr(hed_error_text(), kit_path("x")))
    return 2;
  sigpending(&pending);
  return sigismember(&pending, SIGXFSZ) ? 3 : 0;
}

static void size_limits(const struct writer *w)
{
  int status = -1;
  put_old(kit_path("x"), 0644);
  fflush(NULL);
  const pid_t p = fork();
  if (p == 0)
    _exit(limited(w));
  const bool ended = p > 0 && waitpid(p, &status, 0) == p;
  ok(ended && status == 0, "%s: a limit on the size of files is an error without traces (%d)", w->name, status);
  kit_clear();
}

static void arguments(void)
{
  hed_file *f = (hed_file *)&f;
  is_int(hed_file_create("test", NULL, &f), HED_E_INVAL, "no path");
  is_ptr(f, NULL, "... no file");
  is_int(hed_file_create(NULL, kit_path("x"), &f), HED_E_INVAL, "no operation");
  is_int(hed_file_create("test", kit_path("x"), NULL), HED_E_INVAL, "no place for it");
  is_int(hed_file_create("test", "", &f), HED_E_INVAL, "an empty name");
  has_str(hed_error_text(), "empty", "... is told");
  is_int(hed_file_create("test", kit_path("none/x"), &f), HED_E_IO, "no folder");
  is_int(hed_file_close(NULL, HED_E_DTYPE), HED_E_DTYPE, "closing nothing");
  is_ptr(hed_file_temporary(NULL), NULL, "no name of nothing");
  is_int(hed_file_write(NULL, "x", 1), HED_E_INVAL, "writing to nothing");
  is_int(hed_file_print(NULL, "x"), HED_E_INVAL, "printing to nothing");
  char longest[4500];
  memset(longest, 'a', sizeof longest);
  memcpy(longest + 4400, "/b", 3);
  is_int(hed_file_create("test", longest, &f), HED_E_IO, "a path that is too long");
  longest[255] = 0;
  snprintf(longest + 300, 4000, "%s", kit_path(longest));
  is_int(hed_file_create("test", longest + 300, &f), HED_OK, "the longest name that a file can have");
  is_int(hed_file_write(f, NULL, 1), HED_E_INVAL, "no bytes");
  is_int(hed_file_write(f, NULL, 0), HED_OK, "none at all");
  is_int(hed_file_print(f, "%d%0700d", 1, 2), HED_OK, "a long line");
  is_int(hed_file_close(f, HED_OK), HED_OK, "... closed");
  size_t n = 0;
  uint8_t *b = kit_read(longest + 300, &n);
  ok(b && n == 701 && b[0] == '1' && b[1] == '0' && b[700] == '2', "... and all there");
  free(b);
  is_int(kit_count(), 1, "one file");
  kit_clear();
  is_int(hed_file_create("test", kit_path("x"), &f), HED_OK, "a file");
  is_int(hed_file_write(f, "abc", 3), HED_OK, "written");
  is_int(kit_count(), 1, "under another name");
  ok(!mode_of(kit_path("x")), "not under its own");
  is_int(hed_file_close(f, HED_E_CANCELLED), HED_E_CANCELLED, "given up");
  is_int(kit_count(), 0, "leaves nothing");
}

/* Somebody else's file of the temporary name is the one. */
static void exchanged(void)
{
  hed_file *f;
  is_int(hed_file_create("test", kit_path("x"), &f), HED_OK, "a file");
  kit_write(kit_path("other"), "precious", 8);
  ok(rename(kit_path("other"), hed_file_temporary(f)) == 0, "replaced under its temporary name");
  is_int(hed_file_close(f, HED_OK), HED_OK, "closed");
  ok(is_old(kit_path("x")) && kit_count() == 1, "what was put there is in the place");
  kit_clear();
}

int main(void)
{
  kit_folder();
  if (hed_set_default_backend("reference") != HED_OK)
    bail("%s", hed_error_text());
  values = hed_zeros(HED_SHAPE(32, 1024), HED_FLOAT32);
  const bool zip = hed_save_npz(kit_path("x"), 0, NULL, NULL, false) == HED_OK;
  kit_clear();
  arguments();
  exchanged();
  for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
    if (writers[k].write == write_npz && !zip) {
      skip(1, "no libzip");
      continue;
    }
    special(&writers[k]);
    links(&writers[k]);
    modes(&writers[k]);
    syncing(&writers[k]);
    size_limits(&writers[k]);
  }
  hed_release(values);
  return done();
}
