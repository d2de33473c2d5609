// SPDX-License-Identifier: BSD-3-Clause
/* Searches of many tomograms, between what does them and what reports them.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_LIST_H
#define HEDDLE_TOOLS_MATCH_LIST_H
#include "job.h"
#include <heddle/kits/tomograms.h>
#include <pthread.h>

typedef enum list_state { LIST_WAITS, LIST_DONE, LIST_EARLIER, LIST_FAILED } list_state;

/* What is left of a tomogram's search. */
typedef struct list_entry {
  list_state state;
  int code;               /* of a failure: the exit status, and the sentence */
  char failure[600];
  size_t done, total;     /* rotations, for progress        */
  double cutoff, sigma, rotations, seconds;
  hed_table_frame frame;  /* of its places                  */
  hed_table found;
} list_entry;

/* Templates, masks and rotations at a voxel size. */
typedef struct list_template list_template;

struct match_list {
  match_job *job;         /* as it was asked for            */
  hed_tomograms tomograms;
  list_entry *entry;
  const char *command;    /* that was given, quoted for a shell */
  int n_lanes;
  char (*workers)[128];   /* of each lane                   */
  size_t next;
  pthread_mutex_t lock;   /* of all that lanes share        */
  list_template *first;
  progress bar;
  outputs out;            /* what is written of all         */
};

/* list_report.c */
int match_list_announce(match_list *l);
int match_list_report(match_list *l);

#endif
