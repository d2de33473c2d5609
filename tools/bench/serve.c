// SPDX-License-Identifier: BSD-3-Clause
/* `heddle bench --serve`: rows on request, for programs that measure others beside us.
 *
 * Layer: L5. One request a line on standard input, one answer a line on standard output:
 *   machine    what --json has as "machine"
 *   open ID    prepare the row with this id and warm it up; {"id", "batch", "floor_batch", "bytes", "flops", ...}
 *   ours       one sample: ns per call of a batch
 *   run N      the row N times; "ok"
 *   floor      one sample of the row's floor: ns per call; "null" when it has none
 *   store DIR  write the row's input and result into that folder; "ok"
 *   close      let go of the row; "ok"
 * A request that fails is answered by "error SENTENCE". The end of the input ends the program.
 */
#include "bench.h"
#include <math.h>

typedef struct server {
  bench *b;
  bench_spec spec;
  bench_work work;
  hed_frame frame;
  bool open;
  int64_t ours, bare;
} server;

static void close_row(server *s)
{
  if (s->open)
    bench_close(&s->work, s->frame);
  s->open = false;
}

static void answer_row(const server *s)
{
  emit e = { 0 };
  char id[160];
  const bench_work *w = &s->work;
  bench_id(&s->spec, id, sizeof id);
  emit_object(&e, NULL);
  emit_string(&e, "id", id);
  emit_string(&e, "shape", *w->shape ? w->shape : NULL);
  emit_number(&e, "batch", (double)s->ours);
  emit_number(&e, "floor_batch", (double)s->bare);
  emit_number(&e, "bytes", w->read + w->written);
  emit_number(&e, "flops", w->flops);
  emit_string(&e, "floor", w->floor.kind);
  emit_bool(&e, "floor_measured", w->floor.run != NULL);
  emit_number(&e, "floor_fixed_ns", w->floor.fixed_ns);
  emit_string(&e, "note", w->note);
  emit_object_end(&e);
  /* on one line: the emitter's line ends are white space to JSON */
  for (size_t i = 0; i < e.n; i++)
    if (e.text[i] == '\n')
      e.text[i] = ' ';
  emit_close(&e, stdout);
}

static void open_row(server *s, const char *id)
{
  bench *b = s->b;
  char other[160];
  int i = 0;
  close_row(s);
  for (; i < b->n_specs; i++) {
    bench_id(&b->specs[i], other, sizeof other);
    if (strcmp(other, id) == 0)
      break;
  }
  if (i == b->n_specs) {
    printf("error no row '%s'\n", id);
    return;
  }
  s->spec = b->specs[i];
  hed_status status = bench_open(b, &s->spec, &s->work, &s->frame);
  s->open = status == HED_OK;
  if (status == HED_OK)
    status = bench_batch(&s->work, &s->ours, &s->bare);
  s->work.settled = true; /* also without a floor: there are peers */
  if (status == HED_OK) {
    answer_row(s);
    return;
  }
  printf("error %s\n", hed_error_text());
  close_row(s);
}

static void answer_machine(const server *s)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "version", hed_version());
  bench_emit_machine(&e, s->b);
  emit_object_end(&e);
  for (size_t i = 0; i < e.n; i++)
    if (e.text[i] == '\n')
      e.text[i] = ' ';
  emit_close(&e, stdout);
}

int bench_serve(bench *b)
{
  server s = { .b = b };
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    double ns;
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "machine") == 0)
      answer_machine(&s);
    else if (strncmp(line, "open ", 5) == 0)
      open_row(&s, line + 5);
    else if (strcmp(line, "close") == 0) {
      close_row(&s);
      puts("ok");
    } else if (!s.open)
      puts("error no row is open");
    else if (strncmp(line, "run ", 4) == 0) {
      if (s.work.run(&s.work, strtoll(line + 4, NULL, 10)) == HED_OK)
        puts("ok");
      else
        printf("error %s\n", hed_error_text());
    } else if (strcmp(line, "ours") == 0) {
      if (bench_time(&s.work, s.ours, &ns) == HED_OK)
        printf("%.6g\n", ns);
      else
        printf("error %s\n", hed_error_text());
    } else if (strcmp(line, "floor") == 0) {
      if (s.work.floor.run)
        printf("%.6g\n", bench_floor_ns(&s.work, bench_time_floor(&s.work, s.bare)));
      else
        puts("null");
    } else if (strncmp(line, "store ", 6) == 0) {
      if (!s.work.store)
        puts("error the row stores nothing");
      else if (s.work.store(&s.work, line + 6) == HED_OK)
        puts("ok");
      else
        printf("error %s\n", hed_error_text());
    } else
      printf("error no request '%s'\n", line);
    fflush(stdout);
  }
  free(line);
  close_row(&s);
  return 0;
}
