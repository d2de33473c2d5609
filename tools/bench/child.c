// SPDX-License-Identifier: BSD-3-Clause
/* A row in another process, whose environment says otherwise what is read when a backend is loaded.
 *
 * Layer: L5. The child is this program with --serve (serve.c), which runs the row as often as it is told.
 */
#include "bench.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct bench_child {
  pid_t pid;
  FILE *to, *from;
  char *line;
  size_t room;
};

/* Sends a request. The answer, without its end of line, is in c->line; an error of the child's becomes this thread's. */
static hed_status request(bench_child *c, const char *text)
{
  if (fprintf(c->to, "%s\n", text) < 0 || fflush(c->to) != 0 || getline(&c->line, &c->room, c->from) <= 0)
    return hed_fail(HED_E_IO, "the process of the row has ended");
  c->line[strcspn(c->line, "\n")] = '\0';
  return strncmp(c->line, "error ", 6) == 0 ? hed_fail(HED_E_UNSUPPORTED, "%s", c->line + 6) : HED_OK;
}

/* This environment, but for one variable, on one block; NULL without memory. */
static char **environment_with(const char *name, const char *value)
{
  size_t n = 0, used = 0;
  while (environ[n])
    n++;
  char **list = malloc((n + 2) * sizeof *list + strlen(name) + strlen(value) + 2);
  if (!list)
    return NULL;
  char *text = (char *)(list + n + 2);
  for (size_t k = 0; k < n; k++)
    if (strncmp(environ[k], name, strlen(name)) != 0 || environ[k][strlen(name)] != '=')
      list[used++] = environ[k];
  sprintf(text, "%s=%s", name, value);
  list[used++] = text;
  list[used] = NULL;
  return list;
}

/* Starts the program with IN and OUT for its standard input and output; -1: it cannot be. */
static pid_t start(const bench *b, char **environment, const int in[2], const int out[2])
{
  char threads[256] = "";
  for (int k = 0; k < b->n_threads; k++)
    snprintf(threads + strlen(threads), sizeof threads - strlen(threads), "%s%d", k ? "," : "", b->threads[k]);
  const char *const arguments[] = { "heddle", "bench", "--serve", "--backend", b->backend, "--threads", threads, NULL };
  const pid_t pid = fork();
  if (pid == 0) { /* threads hold locks: nothing but calls of the system from here on */
    close(in[1]);
    close(out[0]);
    if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0)
      execve("/proc/self/exe", (char *const *)arguments, environment);
    _exit(127);
  }
  return pid;
}

hed_status bench_child_open(const bench *b, const char *name, const char *value, const char *id, bench_child **out)
{
  int to[2] = { -1, -1 }, from[2] = { -1, -1 };
  char text[200];
  bench_child *c = *out = calloc(1, sizeof *c);
  if (!c)
    return hed_fail(HED_E_NOMEM, "no memory for the process of a row");
  char **environment = environment_with(name, value);
  if (environment && pipe(to) == 0 && pipe(from) == 0)
    c->pid = start(b, environment, to, from);
  free(environment);
  if (c->pid <= 0) {
    for (int k = 0; k < 2; k++) {
      close(to[k]);
      close(from[k]);
    }
    return hed_fail(HED_E_IO, "no process can be made for a row");
  }
  signal(SIGPIPE, SIG_IGN); /* a child that ends is an error, not our end */
  close(to[0]);
  close(from[1]);
  c->to = fdopen(to[1], "w");
  c->from = fdopen(from[0], "r");
  if (!c->to || !c->from)
    return hed_fail(HED_E_NOMEM, "no memory for the process of a row");
  snprintf(text, sizeof text, "open %s", id);
  return request(c, text);
}

hed_status bench_child_run(bench_child *c, int64_t n)
{
  char text[64];
  snprintf(text, sizeof text, "run %lld", (long long)n);
  return request(c, text);
}

void bench_child_close(bench_child *c)
{
  if (!c)
    return;
  if (c->to)
    fclose(c->to);
  if (c->from)
    fclose(c->from);
  if (c->pid > 0)
    waitpid(c->pid, NULL, 0);
  free(c->line);
  free(c);
}
