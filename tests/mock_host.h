// SPDX-License-Identifier: BSD-3-Clause
/* Host services for tests that run a backend module by itself: counted memory, a pool of thread
 * permits, a recursion-checked FFTW lock, a fork flag. Depends on libc and the plug-in interface.
 */
#ifndef HED_TESTS_MOCK_HOST_H
#define HED_TESTS_MOCK_HOST_H

#include <heddle/backend.h>
#include <stdatomic.h>

extern const hed_host_api mock_host;

extern atomic_int mock_permits;       /* free permits; set before use */
extern atomic_int mock_permits_least; /* the lowest that mock_permits ever was */
extern atomic_long mock_live;         /* blocks not yet freed */
extern atomic_int mock_forked;        /* what forked() says */
extern atomic_int mock_fftw_holders;  /* threads inside the FFTW lock: never above 1 */
extern atomic_int mock_fftw_worst;    /* the most there ever were */
/* The setting fft_plans, NULL when not set. */
extern const char *mock_fft_plans;
/* The n-th allocation from now fails (1 = the next), 0 = none. */
extern atomic_long mock_fail_alloc_at;

/* Sentence and status of the calling thread's last failure. */
const char *mock_text(void);
int32_t mock_status(void);

/* The module at PATH, or, when PATH is NULL, the cpu module of this build, initialised; NULL when it
 * cannot be loaded (*why then says so). */
const hed_plugin *mock_load(const char *path, const char **why);

#endif
