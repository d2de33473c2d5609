# SPDX-License-Identifier: BSD-3-Clause
# Programs of tools/.

# Cairo is linked here and nowhere else; without it plot.c writes no pictures.
tool_picture_sources = tools/charts.c tools/charts.h tools/picture.c tools/picture.h tools/plot.c tools/plot.h

# heddle bench: bench.h says what is where.
tool_bench_sources = tools/bench.h tools/bench_measure.c tools/bench_print.c tools/bench_serve.c \
  tools/bench_settle.c tools/bench_others.c tools/bench_child.c tools/bench_team.c tools/bench_loops.c tools/bench_loops.h \
  tools/bench_stream.c tools/bench_fftw.c tools/bench_blas.c tools/bench_dispatch.c tools/bench_elementwise.c tools/bench_functions.c \
  tools/bench_movement.c tools/bench_vectors.c tools/bench_filters.c \
  tools/bench_reduce.c tools/bench_record.c tools/bench_linalg.c tools/bench_fused.c tools/bench_fft.c tools/bench_fft.h \
  tools/bench_jobs.c \
  tools/bench_match.c tools/bench_tensor.c tools/bench_ultrasound.c tools/bench_vsa.c \
  tools/bench_scaling.c tools/bench_memory.c tools/bench_indices.c

# The commands, in the order of `heddle --help`; see tool.h.
tool_commands = \
  tools/cmd_info \
  tools/cmd_simulate \
  tools/cmd_template \
  tools/cmd_match \
  tools/cmd_peaks \
  tools/cmd_refine \
  tools/cmd_merge \
  tools/cmd_extract \
  tools/cmd_decompose \
  tools/cmd_convert \
  tools/cmd_ultrasound \
  tools/cmd_vsa \
  tools/cmd_bench \
  tools/cmd_profile \
  tools/cmd_config \
  tools/cmd_wisdom \
  tools/cmd_completion

if BUILD_TOOL
bin_PROGRAMS += tools/heddle
endif
tools_heddle_SOURCES = $(tool_commands:=.c) tools/heddle.c tools/outputs.c tools/tool.c tools/tool.h tools/emit.c tools/emit.h \
  tools/filters.c tools/filters.h tools/progress.c tools/progress.h tools/match_batch.c tools/match_inputs.c \
  tools/match_job.h tools/match_list.c tools/match_list.h tools/match_list_report.c tools/match_options.c \
  tools/match_ranks.c tools/match_report.c tools/match_roc.c tools/ranks.c tools/ranks.h \
  tools/ultrasound_input.c tools/ultrasound_job.h tools/ultrasound_metrics.c tools/ultrasound_pictures.c \
  tools/match_html.c tools/match_staged.c tools/match_trial.c tools/search.c tools/search.h \
  tools/decompose_compare.c tools/decompose_constraint.c tools/decompose_job.h tools/decompose_options.c tools/decompose_plot.c \
  tools/decompose_run.c tools/decompose_scatter.c tools/decompose_validate.c \
  tools/vsa_table.c tools/vsa_table.h \
  tools/profile.h tools/profile_floor.c tools/profile_picture.c tools/profile_read.c tools/profile_table.c \
  tools/info_ops.c tools/info_ops.h tools/info_api.c tools/info_api.h tools/unknown.c \
  $(tool_bench_sources) $(tool_picture_sources)
tools_heddle_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) '-DTOOL_COMMANDS=$(patsubst tools/cmd_%,COMMAND(%),$(tool_commands))'
tools/heddle-heddle.$(OBJEXT): Makefile
tools_heddle_LDADD = lib/libheddle-kits.la lib/libheddle.la $(CAIRO_LIBS) -lm -ldl -lpthread

# The page that `heddle match --report' fills.
EXTRA_DIST += build-aux/gen-page.awk tools/report.html
BUILT_SOURCES += tools/report_page.h
CLEANFILES += tools/report_page.h
tools/report_page.h: $(srcdir)/tools/report.html $(srcdir)/build-aux/gen-page.awk
	@$(MKDIR_P) tools
	$(AM_V_GEN)$(AWK) -v name=report_page -f $(srcdir)/build-aux/gen-page.awk $(srcdir)/tools/report.html >$@.new && mv $@.new $@
tools/heddle-match_html.$(OBJEXT): tools/report_page.h
tools_heddle_LDFLAGS = $(HED_TOOL_LDFLAGS) $(HED_SANITIZE_FLAGS)

# The one thing that links MPI; the tool opens it for --mpi.
EXTRA_DIST += tools/ranks_mpi.c
if BUILD_MPI
pkglib_LTLIBRARIES = tools/ranks_mpi.la
tools_ranks_mpi_la_SOURCES = tools/ranks_mpi.c
tools_ranks_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tools_ranks_mpi_la_CFLAGS = $(AM_CFLAGS)
tools_ranks_mpi_la_LIBADD = $(MPI_LIBS) -lpthread
tools_ranks_mpi_la_LDFLAGS = -module -avoid-version -shared $(HED_SANITIZE_FLAGS)
endif

# The interface for generators of bindings, who read it where Heddle is installed; the tool says the same.
noinst_PROGRAMS += tools/gen_cxx
tools_gen_cxx_SOURCES = tools/gen_cxx.c
tools_gen_cxx_LDADD = lib/libheddle.la
# What is made of them stays as it is where they say the same.
if_changed = if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
if !CROSS_COMPILING
nodist_heddle_HEADERS += include/heddle/ops.hpp
heddle_HEADERS += include/heddle/heddle.hpp
CLEANFILES += include/heddle/ops.hpp
include/heddle/ops.hpp: tools/gen_cxx$(EXEEXT)
	@$(MKDIR_P) include/heddle
	$(AM_V_GEN)./tools/gen_cxx >$@.new && $(if_changed)
if BUILD_TOOL
# What shells complete, where each looks for it.
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = tools/completion/heddle
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = tools/completion/_heddle
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = tools/completion/heddle.fish
CLEANFILES += $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
$(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA): tools/heddle$(EXEEXT)
	@$(MKDIR_P) tools/completion
	$(AM_V_GEN)case $@ in *.fish) s=fish ;; */_*) s=zsh ;; *) s=bash ;; esac; ./tools/heddle completion $$s >$@.new && $(if_changed)
pkgdata_DATA = tools/api.json
CLEANFILES += tools/api.json
tools/api.json: tools/heddle$(EXEEXT)
	$(AM_V_GEN)./tools/heddle info --api >$@.new && $(if_changed)
endif
endif
