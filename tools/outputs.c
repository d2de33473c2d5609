// SPDX-License-Identifier: BSD-3-Clause
/* What commands write: standard output, and files that appear together.
 *
 * Layer: L5.
 */
#include "emit.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int tool_close_stdout(int code)
{
  static bool said; /* it is looked at again at the end of the program */
  const bool again = said;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return code;
  said = true;
  if (again)
    return code ? code : STATUS_INPUT;
  return code ? code : tool_fail(STATUS_INPUT, "cannot write to standard output: %s", strerror(errno));
}

int tool_emit(emit *e)
{
  if (emit_close(e, stdout))
    return 0;
  return ferror(stdout) ? tool_fail(STATUS_INPUT, "cannot write to standard output: %s", strerror(errno))
                        : tool_fail(STATUS_MEMORY, "no memory for the document");
}

int tool_lock(const char *folder)
{
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) {
      const int why = errno;
      close(fd);
      errno = why;
      return -1;
    }
  return fd;
}

static hed_status open_output(outputs *o, int i) { return hed_file_create("hed_file_create", o->final[i], &o->file[i]); }

static void drop_output(outputs *o, int i)
{
  (void)hed_file_close(o->file[i], HED_E_CANCELLED);
  o->file[i] = NULL;
}

/* Makes the folders on the way to PATH that are not there; the first that was made is removed again when nothing is put into it. */
static int make_folders(outputs *o, const char *path)
{
  char *folder = strdup(path);
  if (!folder)
    return tool_fail(STATUS_MEMORY, "out of memory");
  int code = 0;
  for (char *p = folder + 1; code == 0 && *p; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    if (mkdir(folder, 0777) != 0) {
      if (errno != EEXIST)
        code = tool_fail(STATUS_INPUT, "cannot make the folder '%s': %s", folder, strerror(errno));
    } else if (o->n_made < OUTPUTS_MAX && !(o->made[o->n_made++] = strdup(folder))) {
      code = tool_fail(STATUS_MEMORY, "out of memory");
    }
    *p = '/';
  }
  free(folder);
  return code;
}

int outputs_prefix(outputs *o, const char *prefix)
{
  const size_t n = strlen(prefix);
  if (n == 0 || prefix[n - 1] == '/')
    return tool_fail(STATUS_USAGE, "-o '%s' names a folder; names of files begin with PREFIX, as in %sname", prefix, prefix);
  return make_folders(o, prefix);
}

int outputs_input(const outputs *o, const char *path)
{
  struct stat in, out;
  for (int i = 0; path && i < o->n; i++)
    if (stat(path, &in) == 0 && stat(o->final[i], &out) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
      return tool_fail(STATUS_INPUT, "'%s' would be written over '%s', which is read", o->final[i], path);
  return 0;
}

int outputs_add(outputs *o, const char *prefix, const char *suffix)
{
  static const char *const endings[] = { "png", "svg", "pdf" };
  struct stat st;
  const size_t n = strlen(suffix);
  const bool picture = n >= 4 && strcmp(suffix + n - 4, ".png") == 0;
  if (o->n == OUTPUTS_MAX ||
      asprintf(&o->final[o->n], "%s%.*s%s", prefix, (int)(picture ? n - 3 : n), suffix, picture ? endings[o->pictures] : "") < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  const int i = o->n++;
  for (int k = 0; k < i; k++)
    if (strcmp(o->final[k], o->final[i]) == 0)
      return tool_fail(STATUS_USAGE, "'%s' would be written twice", o->final[i]);
  if (!o->force && lstat(o->final[i], &st) == 0)
    return tool_fail(STATUS_INPUT, "'%s' exists; --force replaces it", o->final[i]);
  const hed_status status = open_output(o, i); /* whether it can be written: before what takes long, which leaves no files */
  drop_output(o, i);
  return status == HED_OK ? 0 : tool_fail_status(status);
}

const char *const outputs_whole[1] = { "" };

int outputs_plan(outputs *o, const char *prefix, size_t n, const char *const *suffixes, size_t n_inputs, const char *const *inputs)
{
  int code = outputs_prefix(o, prefix);
  for (size_t i = 0; code == 0 && i < n; i++)
    code = outputs_add(o, prefix, suffixes[i]);
  for (size_t i = 0; code == 0 && i < n_inputs; i++)
    code = outputs_input(o, inputs[i]);
  return code;
}

hed_status outputs_open(outputs *o)
{
  hed_status status = HED_OK;
  for (int i = 0; i < o->n && status == HED_OK; i++)
    status = open_output(o, i);
  return status;
}

const char *outputs_name(const outputs *o, int i) { return hed_file_temporary(o->file[i]); }

hed_status outputs_emit(outputs *o, int i, emit *e)
{
  const hed_status status = emit_end(e) ? hed_file_write(o->file[i], e->text, e->n)
                                        : hed_fail(HED_E_NOMEM, "no memory for the document '%s'", o->final[i]);
  emit_drop(e);
  return status;
}

int outputs_commit(outputs *o)
{
  for (int i = 0; i < o->n; i++) {
    const hed_status status = hed_file_close(o->file[i], HED_OK);
    o->file[i] = NULL;
    if (status != HED_OK) {
      while (!o->force && i-- > 0)
        unlink(o->final[i]);
      return tool_fail_status(status);
    }
  }
  return 0;
}

void outputs_close(outputs *o)
{
  for (int i = 0; i < o->n; i++) {
    drop_output(o, i);
    free(o->final[i]);
  }
  while (o->n_made-- > 0) {
    (void)rmdir(o->made[o->n_made]); /* an empty one; others stay */
    free(o->made[o->n_made]);
  }
  *o = (outputs){ 0 };
}
