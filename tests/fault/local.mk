# SPDX-License-Identifier: BSD-3-Clause
# Every allocation fails once.

check_PROGRAMS += tests/fault/alloc.t tests/fault/alloc_calls.t tests/fault/alloc_fft.t tests/fault/alloc_fuse.t \
  tests/fault/alloc_image.t tests/fault/alloc_io.t tests/fault/alloc_random.t tests/fault/alloc_runtime.t \
  tests/fault/alloc_streams.t tests/fault/alloc_ultrasound.t tests/fault/first_calls.t
valgrind_tests += tests/fault/alloc_fft.t tests/fault/alloc_image.t tests/fault/alloc_random.t tests/fault/alloc_runtime.t \
  tests/fault/alloc_ultrasound.t

tests_fault_alloc_calls_t_SOURCES = tests/fault/alloc_calls.c tests/fault.h tests/calls.h tests/calls.def
tests_fault_alloc_fft_t_SOURCES = tests/fault/alloc_fft.c tests/fault.h
tests_fault_alloc_image_t_SOURCES = tests/fault/alloc_image.c tests/fault.h
tests_fault_alloc_random_t_SOURCES = tests/fault/alloc_random.c tests/fault.h
tests_fault_alloc_runtime_t_SOURCES = tests/fault/alloc_runtime.c tests/fault.h
tests_fault_alloc_fuse_t_SOURCES = tests/fault/alloc_fuse.c
tests_fault_alloc_io_t_SOURCES = tests/fault/alloc_io.c tests/dlpack.h tests/fault.h
tests_fault_alloc_ultrasound_t_SOURCES = tests/fault/alloc_ultrasound.c tests/fault.h tests/scenario.h
tests_fault_alloc_ultrasound_t_LDADD = $(kits_libs)
tests_fault_alloc_t_SOURCES = tests/fault/alloc.c tests/fault.h
tests_fault_alloc_streams_t_SOURCES = tests/fault/alloc_streams.c
tests_fault_first_calls_t_SOURCES = tests/fault/first_calls.c tests/failing.h
tests_fault_first_calls_t_LDADD = $(internal_libs)
tests_fault_first_calls_t_LDFLAGS = $(AM_LDFLAGS) $(failing_allocator)
nodist_tests_fault_first_calls_t_SOURCES = tests/fault/first_calls.inc
BUILT_SOURCES += tests/fault/first_calls.inc
CLEANFILES += tests/fault/first_calls.inc
EXTRA_DIST += tests/fault/first_calls.awk
tests/fault/first_calls.inc: $(srcdir)/doc/interface-0 $(srcdir)/tests/fault/first_calls.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)(printf '#include <%s>\n' $(heddlekits_HEADERS:include/%=%) && \
	  $(AWK) -f $(srcdir)/tests/fault/first_calls.awk $(srcdir)/doc/interface-0) >$@.new && mv $@.new $@
