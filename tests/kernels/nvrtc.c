// SPDX-License-Identifier: BSD-3-Clause
/* Every family compiled by NVRTC for real chips, without one: it builds, spills nothing, keeps to 128 registers; products and sums
 * stay apart where bits are promised; and what memory bounds reads 16 bytes at a time, with enough of them under way. */
#include "run.h"

#include <dlfcn.h>
#include <stdio.h>

typedef struct nvrtc {
  int (*create)(void **program, const char *source, const char *name, int n, const char *const *headers, const char *const *names);
  int (*compile)(void *program, int n, const char *const *options);
  int (*destroy)(void **program);
  int (*log_size)(void *program, size_t *size);
  int (*log)(void *program, char *log);
  int (*ptx_size)(void *program, size_t *size);
  int (*ptx)(void *program, char *ptx);
  int (*n_archs)(int *n);
  int (*archs)(int *archs);
} nvrtc;
static nvrtc lib;

static const char *open_nvrtc(void)
{
  static const char *const names[] = {
    "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib/libnvrtc.so",
  };
  static const struct { const char *name; size_t at; } calls[] = {
    { "nvrtcCreateProgram", offsetof(nvrtc, create) },        { "nvrtcCompileProgram", offsetof(nvrtc, compile) },
    { "nvrtcDestroyProgram", offsetof(nvrtc, destroy) },      { "nvrtcGetProgramLogSize", offsetof(nvrtc, log_size) },
    { "nvrtcGetProgramLog", offsetof(nvrtc, log) },           { "nvrtcGetPTXSize", offsetof(nvrtc, ptx_size) },
    { "nvrtcGetPTX", offsetof(nvrtc, ptx) },                  { "nvrtcGetNumSupportedArchs", offsetof(nvrtc, n_archs) },
    { "nvrtcGetSupportedArchs", offsetof(nvrtc, archs) },
  };
  void *handle = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !handle; k++)
    handle = dlopen(names[k], RTLD_NOW);
  if (!handle)
    return "NVRTC (libnvrtc) cannot be opened";
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
    if (!(*(void **)((char *)&lib + calls[k].at) = dlsym(handle, calls[k].name)))
      return "NVRTC is too old";
  return NULL;
}

/* What fuse_reduce.c writes for the sum of a * s + b. */
static const char fused_sum[] =
  "typedef struct fuse_args {\n  hed__reduce_args reduce;\n  i64 stride[2][4];\n  u64 value[1][2];\n} fuse_args;\n"
  "#define INPUTS PTR(const STORED(11), p0), PTR(const STORED(11), p1), const fuse_args fuse\n"
  "#define AUX ((GLOBAL const char *)0)\n#define KEEP KEEP_ONE\n"
  "#define FUSED_POINTERS AT(p0), AT(p1), \n"
  "FN STORED(11) fused_element(GLOBAL const STORED(11) *p0, GLOBAL const STORED(11) *p1, const fuse_args *fuse, i64 a, i64 r, i64 c)\n"
  "{\n  const fuse_params none = { { 0 } };\n"
  "  const STORED(11) v0 = p0[AT_LINES(0)], v1 = BITS(11, fuse->value[0][0], fuse->value[0][1]), v2 = p1[AT_LINES(1)];\n"
  "  const COMPUTED(11) r3 = multiply_11(VALUE(11, 11, v0), VALUE(11, 11, v1), NONE(11), none);\n"
  "  const STORED(11) v3 = CONVERT(11, 11, r3);\n"
  "  const COMPUTED(11) r4 = add_11(VALUE(11, 11, v3), VALUE(11, 11, v2), NONE(11), none);\n"
  "  return CONVERT(11, 11, r4);\n}\nSHORT(sum_)\nINNER(sum_)\nCOLUMNS(sum_)\n";

/* TEXT (from malloc) and MORE. */
static char *joined(char *text, const char *more)
{
  const size_t n = strlen(text), m = strlen(more);
  text = realloc(text, n + m + 1);
  if (!text)
    bail("no memory");
  memcpy(text + n, more, m + 1);
  return text;
}

/* PTX of a family for ARCH, from malloc; the compiler's log in *LOG. NULL: it does not build. */
static char *compile(const char *family, int compute, const char *defines, int arch, char **log)
{
  char target[32], *source = run_source(family, compute, defines), *ptx = NULL;
  const char *options[] = { target, "-fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "--ptxas-options=-v" };
  void *program;
  size_t size;
  if (strcmp(family, "fuse_reduce") == 0)
    source = joined(source, fused_sum);
  snprintf(target, sizeof target, "-arch=sm_%d", arch);
  if (lib.create(&program, source, family, 0, NULL, NULL) != 0)
    bail("NVRTC makes no program");
  const int status = lib.compile(program, 6, options);
  lib.log_size(program, &size);
  *log = calloc(1, size + 1);
  lib.log(program, *log);
  if (status == 0 && lib.ptx_size(program, &size) == 0 && (ptx = calloc(1, size + 1)))
    lib.ptx(program, ptx);
  lib.destroy(&program);
  free(source);
  return ptx;
}

/* The largest number before WORD in TEXT. */
static long most_before(const char *text, const char *word)
{
  long most = -1;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
    const char *digit = at;
    while (digit > text && (digit[-1] == ' ' || (digit[-1] >= '0' && digit[-1] <= '9')))
      digit--;
    const long n = strtol(digit, NULL, 10);
    most = n > most ? n : most;
  }
  return most;
}

/* The number before WORD in what LOG says of entry NAME; -1: nothing. */
static long entry_number(const char *log, const char *name, const char *word)
{
  char head[80];
  snprintf(head, sizeof head, "entry function '%s'", name);
  const char *at = strstr(log, head), *end = at ? strstr(at + 1, "entry function '") : NULL;
  char *part = at ? strndup(at, end ? (size_t)(end - at) : strlen(at)) : NULL;
  const long n = part ? most_before(part, word) : -1;
  free(part);
  return n;
}

/* Does TEXT's entry NAME have WORD? */
static bool entry_has(const char *text, const char *name, const char *word)
{
  char head[80];
  snprintf(head, sizeof head, ".entry %s(", name);
  const char *at = strstr(text, head), *end = at ? strstr(at + 1, ".entry ") : NULL, *found = at ? strstr(at, word) : NULL;
  return found && (!end || found < end);
}

#define WIDE "#define PER_ITEM 4\n#define BLOCK 256"
#define ROWS(list) WIDE "\n#define HED_ONLY 1\n" list
#define ROW(name) "#define HED_ROW_" name " 1\n"

/* FUSED: multiplications and additions may be one instruction. CALLS: of functions of the library. */
static const struct { const char *family; int compute; const char *defines; bool fused, calls; } programs[] = {
  { "map", 11, ROWS(ROW("ADD") ROW("SUBTRACT") ROW("MULTIPLY") ROW("SQUARE") ROW("DIVIDE") ROW("LERP") ROW("WHERE") ROW("LESS")
                    ROW("CLIP") ROW("NORM_SCORES") ROW("LEAKY_RELU")), false, false },
  { "map", 12, ROWS(ROW("ADD") ROW("MULTIPLY") ROW("LERP")), false, false },
  { "map", 13, ROWS(ROW("ADD") ROW("MULTIPLY") ROW("SQUARE")), false, false },
  { "map", 11, ROWS(ROW("EXP") ROW("SIN") ROW("POWER") ROW("GAMMA") ROW("DIGAMMA") ROW("GELU") ROW("FLOOR_DIVIDE")), true, true },
  { "map", 14, ROWS(ROW("DIVIDE") ROW("SQRT") ROW("ARCSIN") ROW("POWER")), true, true },
  { "map", 3, ROWS(ROW("ADD") ROW("FLOOR_DIVIDE") ROW("COUNT_ONES") ROW("ISCLOSE")), false, false },
  { "map", 0, ROWS(ROW("LOGICAL_AND") ROW("WHERE")), false, false },
  { "cast", 12, WIDE "\n#define HED_OUT 9", false, false },
  { "copy", 5, WIDE "\n#define HED_BYTES 16", false, false },
  { "make", 11, WIDE, false, false },
  { "gather", 5, WIDE "\n#define HED_BYTES 4", false, false },
  { "scatter", 11, WIDE, false, false },
  { "compact", 11, WIDE, false, false },
  { "reduce", 11, ROWS(ROW("SUM") ROW("VAR") ROW("MAX") ROW("ALL")), false, false },
  { "reduce", 14, ROWS(ROW("SUM") ROW("PROD") ROW("VECDOT")), false, false },
  { "fuse_reduce", 11, ROWS(ROW("ADD") ROW("MULTIPLY")) "#define HED_USES_11 1", false, false },
  { "scan", 11, WIDE, false, false },
  { "radix", 11, WIDE, false, false },
  { "radix", 12, WIDE, false, false },
  { "select", 11, WIDE, false, false },
  { "search", 11, WIDE, false, false },
  { "bins", 11, WIDE, false, false },
  { "random", 11, WIDE, false, false },
  { "random", 12, WIDE, false, false },
  { "random_rows", 12, WIDE, false, true },
  { "gemm", 11, WIDE, true, true },
  { "gemm", 14, WIDE, true, true },
  { "rowwise", 11, WIDE, true, true },
  { "rowwise", 12, WIDE, true, true },
  { "factor", 11, WIDE, false, true },
  { "factor", 14, WIDE "\n#define HED_IN0 12", true, true },
  { "window", 11, WIDE, false, false },
  { "median", 11, WIDE, false, false },
  { "spline", 12, WIDE, false, false },
  { "sample", 11, WIDE, false, false },
  { "match", 13, WIDE, false, false },
  { "bits", 11, WIDE, false, false },
  { "isotonic", 12, WIDE, false, false },
  { "polar", 13, WIDE, true, true },
  { "map", 11, ROWS(ROW("PHASOR")), true, true },
  { "columns", 13, WIDE, true, false },
  { "fft", 13, WIDE, true, true },
  { "fft", 14, WIDE, true, true },
};

/* Kernels that are as fast as their bytes: what an item reads by accesses of 16 bytes before it waits for any, and whether it writes
 * so. ENOUGH bytes have to be under way on a multiprocessor: 4.8 TB/s over 132 of them for 800 ns of latency are 29 KB. */
enum { ENOUGH = 29 << 10, REGISTERS = 65536, MOST_ITEMS = 2048, MOST_LOCAL = 164 << 10, ITEMS = 256 };
static const struct { const char *family; int compute; const char *rows, *entry; int bytes; bool writes; } streams[] = {
  { "map", 11, ROW("ADD"), "add_flat", 32, true },
  { "reduce", 11, ROW("SUM"), "sum_inner", 32, false },
  { "reduce", 11, ROW("MAX"), "max_inner", 32, false },
  { "reduce", 11, ROW("VAR"), "moments_inner", 32, false },
  { "rowwise", 11, "", "softmax", 128, true },
  { "rowwise", 11, "", "log_softmax", 128, true },
  { "rowwise", 9, "", "softmax", 64, true },
  { "rowwise", 12, "", "softmax", 32, true },
  { "rowwise", 12, "", "log_softmax", 32, true },
  { "scan", 11, ROW("CUMSUM"), "cumsum_tiles", 64, true },
  { "scan", 7, ROW("CUMSUM"), "cumsum_tiles", 64, true },
  { "scan", 11, ROW("CUMMAX"), "cummax_tiles", 64, true },
};

static void check_streams(int arch)
{
  for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
    char defines[200], *log;
    if (!full_run() && (k + tap_seed() / 3) % 2)
      continue;
    snprintf(defines, sizeof defines, "%s\n#define HED_ONLY 1\n%s", WIDE, streams[k].rows);
    const char *name = streams[k].entry;
    char *ptx = compile(streams[k].family, streams[k].compute, defines, arch, &log);
    const long registers = entry_number(log, name, " registers"), shared = entry_number(log, name, " bytes smem");
    const long own = registers > 0 ? (registers + 7) / 8 * 8 * ITEMS : REGISTERS, local = shared > 0 ? shared + 1024 : 1;
    long groups = REGISTERS / own < MOST_ITEMS / ITEMS ? REGISTERS / own : MOST_ITEMS / ITEMS;
    groups = groups < MOST_LOCAL / local ? groups : MOST_LOCAL / local;
    ok(ptx && entry_has(ptx, name, "ld.global.v") && (!streams[k].writes || entry_has(ptx, name, "st.global.v")),
       "%s of type %d for sm_%d moves 16 bytes at a time", name, streams[k].compute, arch);
    const long under_way = groups * ITEMS * streams[k].bytes;
    ok(under_way >= ENOUGH, "%ld registers leave %ld groups, which have %ld bytes under way", registers, groups, under_way);
    is_int(entry_number(log, name, " bytes spill stores"), 0, "and nothing spills");
    is_int(entry_number(log, name, " bytes stack frame"), 0, "nor is an array elsewhere than in registers");
    free(ptx);
    free(log);
  }
}

int main(void)
{
  int n = 0, archs[64], wanted[3] = { 80, 90, 0 };
  const char *missing = open_nvrtc();
  if (missing)
    skip_all("%s", missing);
  if (lib.n_archs(&n) != 0 || n < 1 || n > 64 || lib.archs(archs) != 0)
    bail("NVRTC does not say which chips it knows");
  wanted[2] = archs[n - 1];
  for (int k = 0; k < n; k++)
    wanted[2] = archs[k] == 100 ? 100 : wanted[2];
  for (int a = 0; a < 3; a++) {
    if (share(a, 3))
      check_streams(wanted[a]);
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
      if (!share(a, 3) || (k > 0 && !full_run() && (k + tap_seed() / 3) % 2)) /* a chip and half of the programs each time */
        continue;
      char *log, *ptx = compile(programs[k].family, programs[k].compute, programs[k].defines, wanted[a], &log);
      if (ok(ptx != NULL, "%s of type %d for sm_%d builds", programs[k].family, programs[k].compute, wanted[a])) {
        /* functions of the library are called out of line now and then, which keeps a few registers in memory */
        const long registers = most_before(log, " registers"), spills = most_before(log, " bytes spill stores");
        ok(registers > 0 && registers <= 128, "in %ld registers", registers);
        /* of columns, for the newest chip, the compiler stops at 48 registers, so that more groups are there at once */
        const bool crowded = a == 2 && strcmp(programs[k].family, "columns") == 0;
        const long most = programs[k].calls ? 40 : crowded ? 16 : 0;
        ok(spills >= 0 && spills <= most, "and spills %ld bytes of at most %ld", spills, most);
        if (!programs[k].fused)
          ok(!strstr(ptx, "fma.rn"), "products and sums stay apart");
        if (k == 0)
          ok(entry_has(ptx, "add_flat", "ld.global.v4") && entry_has(ptx, "add_flat", "st.global.v4") &&
               !entry_has(ptx, "add_rows", "ld.global.v4"), "contiguous elements travel 16 bytes at a time");
      } else {
        diag("%.2000s", log);
      }
      free(ptx);
      free(log);
    }
  }
  done_testing();
  return done();
}
