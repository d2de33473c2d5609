// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps of recurrent cells: what follows their products, in one pass. L1.
 *
 * Operands have rows in one piece each and the type that is computed in, results are contiguous. The order of sums depends on
 * shapes alone: threads share rows, or neurons that each have sums of their own.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/nn/steps.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/dtype.h"

enum { WORK_LSTM = 60, WORK_GRU = 40, WORK_SYNAPSE = 10, NEURONS_APART = 16 };

typedef struct job {
  const hed_call *call;
  void (*fn)(const cpu_step_row *r);
  int64_t units, plane, out_step;  /* bytes from one of a result's rows to the next */
} job;

static void run_rows(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    cpu_step_row r = { .n = j->units, .plane = j->plane, .out = (char *)j->call->out[0]->data + row * j->out_step };
    for (int32_t k = 0; k < j->call->n_in; k++) {
      const hed_view *v = j->call->in[k];
      r.in[k] = (const char *)v->data + (v->ndim < 2 ? 0 : row * v->stride[v->ndim - 2]);
    }
    j->fn(&r);
  }
}

/* The result's rows are PARTS times UNITS long, or planes of rows where PARTS is 0. */
static int32_t run(const hed_call *call, void (*fn)(const cpu_step_row *r), int parts, double work)
{
  const hed_view *c = call->in[call->n_in - 1]; /* (rows, units) */
  const int64_t rows = c->dim[0], units = c->dim[1], size = hed__id_size(call->compute);
  job j = { call, fn, units, rows * units, (parts ? parts : 1) * units * size };
  cpu_parallel_for(call, rows, 1, work * (double)(rows * units), run_rows, &j);
  return HED_OK;
}

static const cpu_step_loops *loops(const hed_call *call) { return &cpu_steps[call->compute == HED_ID_FLOAT64]; }

int32_t cpu_lstm_step(void *state, const hed_call *call)
{
  (void)state;
  return run(call, loops(call)->lstm, 0, WORK_LSTM);
}

int32_t cpu_lstm_step_back(void *state, const hed_call *call)
{
  (void)state;
  return run(call, loops(call)->lstm_back, 5, WORK_LSTM);
}

int32_t cpu_gru_step(void *state, const hed_call *call)
{
  (void)state;
  return run(call, loops(call)->gru, 0, WORK_GRU);
}

int32_t cpu_gru_step_back(void *state, const hed_call *call)
{
  (void)state;
  return run(call, loops(call)->gru_back, 7, WORK_GRU);
}

/* ---- synapses ---- */

typedef struct synapse_job {
  cpu_synapses s;
  void (*fn)(const cpu_synapses *s, int64_t begin, int64_t end);
} synapse_job;

static void run_synapses(void *arg, int64_t begin, int64_t end)
{
  const synapse_job *j = arg;
  j->fn(&j->s, begin, end);
}

/* Threads share rows, backwards neurons. */
static int32_t share_synapses(const hed_call *call, bool back)
{
  const hed_view *v = call->in[0];
  const int64_t rows = v->dim[0], n = v->dim[1], targets = call->in[1]->dim[0];
  synapse_job j = { { .rows = rows, .n = n, .targets = targets, .v_step = v->stride[0] / hed__id_size(call->compute), .v = v->data,
                      .d = back ? call->in[5]->data : NULL, .out = call->out[0]->data },
                    back ? loops(call)->synapses_back : loops(call)->synapses };
  for (int k = 0; k < 4; k++)
    j.s.synapse[k] = call->in[1 + k]->data;
  cpu_parallel_for(call, back ? n : rows, back ? NEURONS_APART : 1, WORK_SYNAPSE * (double)rows * (double)(n * targets),
                   run_synapses, &j);
  return HED_OK;
}

int32_t cpu_synapses_of(void *state, const hed_call *call)
{
  (void)state;
  return share_synapses(call, false);
}

int32_t cpu_synapses_back(void *state, const hed_call *call)
{
  (void)state;
  return share_synapses(call, true);
}
