// SPDX-License-Identifier: BSD-3-Clause
/* `heddle bench`: rows of suites, each beside its floor.
 *
 * Layer: L5. bench.h says how the parts fit together.
 */
#include "bench.h"
#include <math.h>
#include <strings.h>
#include <unistd.h>

enum {
  KEY_JSON = 256, KEY_WORKERS, KEY_SCORE, KEY_ROTATIONS, KEY_ROWS, KEY_THREADS, KEY_BUDGET, KEY_LIST, KEY_SERVE, KEY_TEAM,
  SUITES_MOST = 16
};

typedef struct request {
  bench b;
  regex_t pattern;
  bool json, only_list, serve;
  int n_suites;
  const char *suite[SUITES_MOST];
} request;

const bench_suite bench_suites[] = {
  { "dispatch", "contexts, calls on eight numbers, handles", bench_list_dispatch },
  { "elementwise", "functions of elements, and what moves them", bench_list_elementwise },
  { "reduce", "reductions, scans, histograms", bench_list_reduce },
  { "sort", "sorting, selection, search", bench_list_sort },
  { "random", "random numbers", bench_list_random },
  { "linalg", "products, contractions, factorisations beside bare BLAS and LAPACK", bench_list_linalg },
  { "fft", "Fourier transforms beside bare FFTW", bench_list_fft },
  { "jobs", "matching, tensor decompositions, hypervectors, ultrasound", bench_list_jobs },
  { "gradient", "values and gradients beside the values alone", bench_list_gradient },
  { "program", "programs beside their calls", bench_list_program },
  { "scaling", "workers times threads on the processors there are", bench_list_scaling },
  { "memory", "results from the pool and from fresh pages", bench_list_memory },
  { NULL, NULL, NULL }
};

static const struct argp_option options[] = {
  { "json", KEY_JSON, NULL, 0, "Rows as JSON (heddle.bench/1)", 0 },
  { "list", KEY_LIST, NULL, 0, "Names of the rows, nothing is measured", 0 },
  { "rows", KEY_ROWS, "REGEX", 0, "Only rows whose name matches (extended regular expression)", 0 },
  { "threads", KEY_THREADS, "LIST", 0, "Thread counts, separated by commas (1 and all processors)", 0 },
  { "backend", 'b', "SPEC", 0, "Backend to measure (the one in force)", 0 },
  { "budget", KEY_BUDGET, "SECONDS", 0, "Time for samples of a row and its floor; 5 samples at least, 3 below 0.01 (0.05)", 0 },
  { "serve", KEY_SERVE, NULL, 0, "Answer requests on standard input, one sample at a time", 0 },
  { "team", KEY_TEAM, "NAME", 0, "scaling: also rows of one worker with this setting team (openmp)", 1 },
  { "workers", KEY_WORKERS, "LIST", 0, "match: contexts to measure, each alone, separated by commas (\"cpu;threads=1\")", 1 },
  { "score", KEY_SCORE, "NAME", 0, "match: this score alone (FLCSphericalMask and FLC)", 1 },
  { "rotations", KEY_ROTATIONS, "N", 0, "match: rotations in a sample (20)", 1 },
  { 0 }
};

static void parse_threads(struct argp_state *state, bench *b, const char *arg)
{
  const int most = (int)(sizeof b->threads / sizeof b->threads[0]);
  b->n_threads = 0;
  while (b->n_threads < most) {
    char one[32];
    size_t n = strcspn(arg, ",");
    snprintf(one, sizeof one, "%.*s", (int)n, arg);
    b->threads[b->n_threads++] = (int)tool_integer(state, "--threads", one, 1, 1024);
    if (!arg[n])
      return;
    arg += n + 1;
  }
  argp_error(state, "--threads: at most %d counts", most);
}

static void parse_suite(struct argp_state *state, request *r, const char *arg)
{
  bool known = strcmp(arg, "match") == 0;
  char names[200] = "all, match", choices[260];
  if (strcmp(arg, "all") == 0)
    return;
  for (const bench_suite *s = bench_suites; s->name; s++) {
    known |= strcmp(arg, s->name) == 0;
    snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", s->name);
  }
  if (!known)
    argp_error(state, "there is no suite '%s'%s", arg, hed_choices(arg, names, choices, sizeof choices));
  if (r->n_suites == SUITES_MOST)
    argp_error(state, "at most %d suites", SUITES_MOST);
  r->suite[r->n_suites++] = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  bench *b = &r->b;
  switch (key) {
  case KEY_JSON: r->json = true; return 0;
  case KEY_LIST: r->only_list = true; return 0;
  case KEY_SERVE: r->serve = true; return 0;
  case KEY_ROWS:
    if (b->pattern)
      argp_error(state, "--rows is given twice");
    if (regcomp(&r->pattern, arg, REG_EXTENDED | REG_NOSUB) != 0)
      argp_error(state, "--rows: '%s' is not a regular expression", arg);
    b->pattern = &r->pattern;
    return 0;
  case KEY_THREADS: parse_threads(state, b, arg); return 0;
  case 'b': b->backend = arg; return 0;
  case KEY_BUDGET:
    b->budget = tool_number(state, "--budget", arg, 0, 3600);
    b->few = b->budget < 0.01;
    return 0;
  case KEY_TEAM: b->team = arg; return 0;
  case KEY_WORKERS: b->workers = arg; return 0;
  case KEY_SCORE:
    if (strcasecmp(arg, "FLC") != 0 && strcasecmp(arg, "FLCSphericalMask") != 0)
      tool_none(state, "--score", arg, "FLCSphericalMask,FLC");
    b->score = arg;
    return 0;
  case KEY_ROTATIONS: b->rotations = tool_integer(state, "--rotations", arg, 1, 100000); return 0;
  case ARGP_KEY_ARG: parse_suite(state, r, arg); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static bool wanted(const request *r, const char *name)
{
  for (int i = 0; i < r->n_suites; i++)
    if (strcmp(r->suite[i], name) == 0)
      return true;
  return false;
}

static void list_rows(request *r)
{
  for (const bench_suite *s = bench_suites; s->name; s++) {
    if (r->n_suites == 0 || wanted(r, s->name))
      s->list(&r->b);
    else if (strcmp(s->name, "jobs") == 0 && wanted(r, "match"))
      bench_list_match(&r->b);
  }
}

/* A row that this backend cannot do is said and left out. */
static hed_status measure_all(bench *b)
{
  for (int i = 0, n; i < b->n_specs; i += n) {
    const bench_spec *s = &b->specs[i];
    char id[160];
    bench_id(s, id, sizeof id);
    if (isatty(STDERR_FILENO))
      fprintf(stderr, "\r%d/%d %-60s", i + 1, b->n_specs, id);
    for (n = 1; s->together && i + n < b->n_specs && s[n].together == s->together; n++)
      ;
    const hed_status status = bench_measure(b, s, n);
    if (status != HED_OK)
      return status;
  }
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%-80s\r", "");
  return HED_OK;
}

static int run(request *r)
{
  bench *b = &r->b;
  char text[160];
  hed_frame frame;
  if (!b->backend) {
    int code;
    if (!(b->backend = tool_backend(&code)))
      return code;
    if (strncmp(b->backend, "reference", 9) == 0)
      fputs("heddle bench: the backend in force is reference, which is made to be right rather than fast; 'heddle info' "
            "says why there is no other\n", stderr);
  }
  hed_status status = hed_backend_context_push(b->backend, &frame);
  if (status != HED_OK)
    return tool_fail_status(status);
  hed_context_unwind(frame);
  list_rows(r);
  if (b->failed)
    return tool_fail(STATUS_MEMORY, "no memory for the list of rows");
  if (r->only_list) {
    for (int i = 0; i < b->n_specs; i++) {
      bench_id(&b->specs[i], text, sizeof text);
      puts(text);
    }
    return 0;
  }
  if (r->serve)
    return bench_serve(b);
  if (b->n_specs == 0)
    return tool_fail(STATUS_USAGE, "no row matches");
  status = measure_all(b);
  if (status == HED_E_CANCELLED)
    return tool_fail(STATUS_INTERRUPTED, "interrupted");
  if (status != HED_OK)
    return tool_fail_status(status);
  if (b->n_rows == 0)
    return tool_fail_status(hed_error());
  int code = 0;
  if (r->json)
    code = bench_print_json(b);
  else
    bench_print_text(b);
  return code == 0 && b->starved ? STATUS_MEMORY : code;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "[SUITE...]",
    .doc = "Measure rows of SUITEs (all), each beside what the bare machine or library needs for the same work.\v"
           "Without any argument the suites are listed; match is the part of "
           "jobs that matches templates. A row's name is SUITE/CASE/TYPE/SIZE/tTHREADS."
  };
  request r = { .b = { .budget = 0.05, .rotations = 20 } };
  int all = hed_thread_capacity();
  r.b.threads[r.b.n_threads++] = 1;
  if (all > 1)
    r.b.threads[r.b.n_threads++] = all;
  if (argc == 1) {
    printf("Suites, of which heddle bench SUITE... measures some and heddle bench all every one, which takes minutes:\n");
    for (const bench_suite *s = bench_suites; s->name; s++)
      printf("  %-12s %s\n", s->name, s->doc);
    return 0;
  }
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  tool_catch_signals();
  code = run(&r);
  if (r.b.pattern)
    regfree(&r.pattern);
  free(r.b.specs);
  free(r.b.rows);
  return code;
}

const tool_command cmd_bench = { "bench", "measure", run_command };
