// SPDX-License-Identifier: BSD-3-Clause
/* Programs: the calls of a function, made once and run many times.
 *
 *   static hed_status step(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
 *   {
 *     y[0] = hed_exp(hed_negative(x[0]));
 *     return y[0] ? HED_OK : hed_error();
 *   }
 *   hed_program *p;
 *   hed_program_create(step, NULL, 1, &x, 1, &y, NULL, &p);     step has run
 *   hed_program_run(p, 1, &other, 1, &z);                       its calls on another array
 *
 * What the function reads and was not given is a constant by reference: kept, not copied, so that a later change of it is seen.
 * Numbers, axes and options stay as they were; what is to change is an input, of one element (hed_scalar) if need be. Draws are the
 * next of the stream in force at the run. Arrays that the function writes in place are written at each run. Results are new
 * arrays at each run, and the bits are those of the calls one by one.
 *
 * The steps are fixed: reading elements of what depends on an input (hed_item, hed_to_host, hed_array_data, files), and shapes that
 * depend on them (nonzero, masks), are HED_E_PROGRAM. Other threads' calls, and memory that is written by its address, are not seen.
 *
 * Small operations on host memory are run without what a call costs, their intermediate results in one block of memory;
 * elementwise ones on 4096 elements and more, one behind the other, in one pass over memory where the backend fuses; others are
 * called. While a recording, a fusion scope, a tracer or another capture is open, all are called: so the gradient of a program is
 * right, and a program in a program is its calls.
 *
 * A program may be run by several threads at once; runs that write others' arrays exclude each other. */
#ifndef HEDDLE_PROGRAM_H
#define HEDDLE_PROGRAM_H

#include <heddle/grad.h>
#ifndef HED_PLAIN_HEADERS
#  include <stdio.h>
#endif

HED_BEGIN_DECLS

typedef struct hed_program hed_program;

typedef struct hed_program_options {
  const char *name;   /* for errors and listings, copied; NULL: "program" */
  bool check;         /* the first run calls F once more, in place of the program, and compares: what has changed and was not an
                       * input is HED_E_PROGRAM, with both values. F and ARG have to be there until then */
  bool keep_layout;   /* inputs with other strides are HED_E_MISMATCH; else their calls are made one by one */
  bool fuse;          /* F runs in a fusion scope, and so do the runs: fewer passes over memory, reductions in them too, whose last
                       * bits may differ then, and a call's cost for each step */
} hed_program_options;

/* Run F on N arrays X, once, and keep its calls. Y: F's M results, the caller's; NULL: they are released. What F leaves NULL behind
 * its last array is no result: a run has fewer then. OPT may be NULL. Errors
 * of F are its own. HED_E_PROGRAM: F reads what depends on an input, makes an array of a shape that does, writes in place what it has
 * made of numbers of the host or of a file, which no run makes anew, or draws from a generator of its own; the operation and the input
 * are named. F has run then, and what it has written stays written. */
HED_API hed_status hed_program_create(hed_function f, void *arg, int n, const hed_array *const *x, int m, hed_array **y,
                                      const hed_program_options *opt, hed_program **p);

/* Run P on N arrays X; the M results Y are the caller's. The inputs have the shapes, dtypes, weakness and memory space of those
 * it was made with: else HED_E_SHAPE, HED_E_DTYPE or HED_E_MISMATCH, naming the input and both. HED_E_INVAL: N or M is another
 * number, or an input overlaps an array that P writes, and did not before. HED_E_PROGRAM: a call made a result of another shape.
 * Other errors are those of the calls. On failure Y is all NULL; what was written in place before stays written. */
HED_API hed_status hed_program_run(hed_program *p, int n, const hed_array *const *x, int m, hed_array **y);

/* The same into the caller's arrays Y, of the shapes and dtypes of the results: HED_E_SHAPE, HED_E_DTYPE, or HED_E_INVAL for one
 * that is NULL, weak or read-only. What P makes by a kernel goes there at once where Y[j] is contiguous, in host memory, and apart
 * from the inputs and what P reads; else it is copied when all is done, so that Y may be inputs. On failure what is in Y is not
 * known. */
HED_API hed_status hed_program_run_into(hed_program *p, int n, const hed_array *const *x, int m, hed_array *const *y);

/* Are N arrays X such as a run takes, by number, shape, dtype, weakness and memory space? No error is set. NULL for P or an X: no. */
HED_API bool hed_program_takes(const hed_program *p, int n, const hed_array *const *x);

/* What a program is; struct_size is set by the caller. */
typedef struct hed_program_info {
  uint32_t struct_size;
  int32_t inputs, results;
  int32_t constants;        /* arrays that are read, or written, and are no inputs */
  int32_t numbers;          /* that are fixed */
  int32_t written;          /* inputs and constants that are written in place */
  int32_t draws;            /* calls that draw */
  int32_t calls;            /* all of them */
  int32_t kernels, views;   /* of these: run by their kernel alone; without a step */
  uint64_t constant_bytes;  /* that constants keep */
  uint64_t block_bytes;     /* of intermediate results, for each run at a time */
  uint64_t runs, called;    /* so far; of these: by calls alone (a recording, a fusion scope, a tracer, other strides) */
  int32_t passes;           /* over memory, in which neighbours among the kernels are done together */
  int32_t reserved;
} hed_program_info;
HED_API hed_status hed_program_query(const hed_program *p, hed_program_info *out);

#ifndef HED_PLAIN_HEADERS
/* A line for each call: its number, operation, result, and how it is run, and why not by its kernel alone. HED_E_IO: F does not
 * take it. */
HED_API hed_status hed_program_print(const hed_program *p, FILE *f);
#endif

/* Another reference to P, and the end of one. NULL is fine. */
HED_API hed_program *hed_program_retain(hed_program *p);
HED_API void hed_program_release(hed_program *p);

HED_END_DECLS

#endif
