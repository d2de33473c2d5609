// SPDX-License-Identifier: BSD-3-Clause
/* Rows of `heddle bench` as JSON (heddle.bench/1) and as a table.
 *
 * Layer: L5.
 */
#include "bench.h"
#include <math.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* ---- the machine ---- */

/* Value of the first line "KEY ... : VALUE" of a file; "" when there is none. */
static void read_key(const char *path, const char *key, char *out, size_t cap)
{
  char line[512];
  FILE *f = fopen(path, "r");
  *out = '\0';
  while (f && fgets(line, sizeof line, f)) {
    char *value = strchr(line, ':');
    if (strncmp(line, key, strlen(key)) != 0 || !value)
      continue;
    value += 1 + strspn(value + 1, " \t");
    value[strcspn(value, "\n")] = '\0';
    snprintf(out, cap, "%s", value);
    break;
  }
  if (f)
    fclose(f);
}

static void read_line(const char *path, char *out, size_t cap)
{
  FILE *f = fopen(path, "r");
  *out = '\0';
  if (f && fgets(out, (int)cap, f))
    out[strcspn(out, "\n")] = '\0';
  if (f)
    fclose(f);
}

static void emit_caches(emit *e)
{
  emit_array(e, "caches");
  for (int i = 0; i < 8; i++) {
    char path[96], level[16], type[32], size[32], shared[64];
    const char *const file[] = { "level", "type", "size", "shared_cpu_list" };
    char *const to[] = { level, type, size, shared };
    const size_t cap[] = { sizeof level, sizeof type, sizeof size, sizeof shared };
    for (int k = 0; k < 4; k++) {
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, file[k]);
      read_line(path, to[k], cap[k]);
    }
    if (!*level)
      break;
    emit_object(e, NULL);
    emit_string(e, "level", level);
    emit_string(e, "type", type);
    emit_string(e, "size", size);
    emit_string(e, "shared_by", shared);
    emit_object_end(e);
  }
  emit_array_end(e);
}

void bench_emit_machine(emit *e, const bench *b)
{
  char text[256];
  struct utsname os = { 0 };
  time_t now = time(NULL);
  struct tm utc;
  uname(&os);
  emit_object(e, "machine");
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  emit_string(e, "date", text);
  read_key("/proc/cpuinfo", "model name", text, sizeof text);
  emit_string(e, "cpu", *text ? text : os.machine);
  emit_int(e, "processors", hed_thread_capacity());
  emit_caches(e);
  emit_int(e, "memory_bytes", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE));
  read_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
  emit_string(e, "huge_pages", *text ? text : NULL);
  snprintf(text, sizeof text, "%s %s %s", os.sysname, os.release, os.machine);
  emit_string(e, "os", text);
  emit_string(e, "compiler", __VERSION__);
#ifdef __GLIBC__
  emit_string(e, "libc", gnu_get_libc_version());
#endif
  emit_string(e, "backend", b->backend);
  /* its libraries and kernels, in its own words */
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(b->backend, ":;"), b->backend);
  emit_string(e, "backend_device", hed_backend_device(name, 0, text, sizeof text) == HED_OK ? text : NULL);
  emit_number(e, "peak_float32_gflops_1t", bench_peak(HED_FLOAT32, 1));
  emit_number(e, "peak_float64_gflops_1t", bench_peak(HED_FLOAT64, 1));
  emit_object_end(e);
}

/* ---- rows ---- */

int bench_print_json(const bench *b)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.bench/1");
  emit_string(&e, "version", hed_version());
  bench_emit_machine(&e, b);
  emit_array(&e, "rows");
  for (int i = 0; i < b->n_rows; i++) {
    const bench_row *r = &b->rows[i];
    char id[160];
    bench_id(&r->spec, id, sizeof id);
    emit_object(&e, NULL);
    emit_string(&e, "id", id);
    emit_string(&e, "suite", r->spec.suite);
    emit_string(&e, "case", r->spec.name);
    emit_string(&e, "backend", r->backend);
    emit_string(&e, "dtype", r->spec.dtype ? hed_dtype_name(r->spec.dtype) : NULL);
    emit_string(&e, "size", *r->spec.size ? r->spec.size : NULL);
    emit_string(&e, "shape", *r->shape ? r->shape : NULL);
    emit_int(&e, "threads", r->spec.threads);
    emit_int(&e, "samples", r->ours.n);
    emit_number(&e, "ns_median", r->ours.median);
    emit_number(&e, "ns_min", r->ours.least);
    emit_number(&e, "ns_q1", r->ours.q1);
    emit_number(&e, "ns_q3", r->ours.q3);
    emit_number(&e, "bytes", r->bytes);
    emit_number(&e, "flops", r->flops);
    emit_string(&e, "floor", *r->floor_kind ? r->floor_kind : NULL);
    emit_number(&e, "floor_ns", r->floor);
    emit_number(&e, "share", r->floor / r->ours.median);
    emit_string(&e, "note", *r->note ? r->note : NULL);
    emit_object_end(&e);
  }
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static const char *duration(double ns, char *buf, size_t cap)
{
  static const char *const unit[] = { "ns", "us", "ms", "s" };
  int k = 0;
  for (; ns >= 1000 && k < 3; k++)
    ns /= 1000;
  snprintf(buf, cap, "%.*f %s", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns, unit[k]);
  return buf;
}

static const char *rate(const bench_row *r, char *buf, size_t cap)
{
  if (r->flops > 8 * r->bytes || (r->flops > 0 && !(r->bytes > 0)))
    snprintf(buf, cap, "%.1f GFLOP/s", r->flops / r->ours.median);
  else if (r->bytes > 0)
    snprintf(buf, cap, "%.1f GB/s", r->bytes / r->ours.median);
  else
    snprintf(buf, cap, "%.4g /s", 1e9 / r->ours.median);
  return buf;
}

void bench_print_text(const bench *b)
{
  char a[48], c[48], d[48], id[160];
  printf("%-50s %10s %6s %16s %10s %-10s %5s\n", "row", "median", "iqr", "rate", "floor", "", "share");
  for (int i = 0; i < b->n_rows; i++) {
    const bench_row *r = &b->rows[i];
    bench_id(&r->spec, id, sizeof id);
    printf("%-50s %10s %5.0f%% %16s ", id, duration(r->ours.median, a, sizeof a),
           100 * (r->ours.q3 - r->ours.q1) / r->ours.median, rate(r, c, sizeof c));
    if (isfinite(r->floor))
      printf("%10s %-10s %4.0f%%", duration(r->floor, d, sizeof d), r->floor_kind, 100 * r->floor / r->ours.median);
    if (*r->note)
      printf("  %s", r->note);
    putchar('\n');
  }
}
