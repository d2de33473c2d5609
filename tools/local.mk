# SPDX-License-Identifier: BSD-3-Clause
# Programs of tools/.

# Cairo is linked here and nowhere else; without it plot.c writes no pictures.
tool_picture_sources = tools/picture/charts.c tools/picture/charts.h \
  tools/picture/picture.c tools/picture/picture.h tools/picture/plot.c tools/picture/plot.h

# heddle bench: bench.h says what is where.
tool_bench_sources = tools/bench/bench.h tools/bench/measure.c tools/bench/print.c tools/bench/serve.c \
  tools/bench/settle.c tools/bench/others.c tools/bench/child.c tools/bench/team.c tools/bench/loops.c \
  tools/bench/loops.h tools/bench/stream.c tools/bench/fftw.c tools/bench/blas.c tools/bench/dispatch.c \
  tools/bench/elementwise.c tools/bench/functions.c tools/bench/movement.c tools/bench/vectors.c tools/bench/filters.c \
  tools/bench/reduce.c tools/bench/record.c tools/bench/linalg.c tools/bench/fused.c tools/bench/fft.c \
  tools/bench/fft.h tools/bench/jobs.c tools/bench/match.c tools/bench/nn.c tools/bench/tensor.c tools/bench/ultrasound.c \
  tools/bench/vsa.c tools/bench/scaling.c tools/bench/memory.c tools/bench/indices.c

# The commands, in the order of `heddle --help`; see tool.h.
tool_commands = \
  tools/info/cmd_info \
  tools/match/cmd_simulate \
  tools/match/cmd_template \
  tools/match/cmd_match \
  tools/match/cmd_peaks \
  tools/match/cmd_refine \
  tools/match/cmd_merge \
  tools/match/cmd_extract \
  tools/decompose/cmd_decompose \
  tools/match/cmd_convert \
  tools/ultrasound/cmd_ultrasound \
  tools/vsa/cmd_vsa \
  tools/bench/cmd_bench \
  tools/profile/cmd_profile \
  tools/cmd_config \
  tools/cmd_wisdom \
  tools/cmd_completion

if BUILD_TOOL
bin_PROGRAMS += tools/heddle
endif
tools_heddle_SOURCES = $(tool_commands:=.c) tools/heddle.c tools/outputs.c tools/tool.c tools/tool.h tools/emit.c tools/emit.h \
  tools/match/filters.c tools/match/filters.h tools/progress.c tools/progress.h tools/table.c tools/table.h \
  tools/match/batch.c tools/match/inputs.c \
  tools/match/job.h tools/match/list.c tools/match/list.h tools/match/list_report.c tools/match/options.c \
  tools/match/ranks.c tools/match/report.c tools/match/roc.c tools/ranks.c tools/ranks.h \
  tools/ultrasound/input.c tools/ultrasound/job.h tools/ultrasound/metrics.c tools/ultrasound/pictures.c \
  tools/match/html.c tools/match/staged.c tools/match/trial.c tools/match/search.c tools/match/search.h \
  tools/decompose/axes.c tools/decompose/compare.c tools/decompose/constraint.c tools/decompose/job.h tools/decompose/maps.c \
  tools/decompose/options.c tools/decompose/panels.c tools/decompose/panels.h tools/decompose/plot.c tools/decompose/run.c \
  tools/decompose/scatter.c tools/decompose/tables.c tools/decompose/validate.c \
  tools/profile/profile.h tools/profile/floor.c tools/profile/picture.c tools/profile/read.c tools/profile/table.c \
  tools/info/ops.c tools/info/ops.h tools/info/api.c tools/info/api.h tools/unknown.c \
  $(tool_bench_sources) $(tool_picture_sources)
tools_heddle_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) '-DTOOL_COMMANDS=$(patsubst cmd_%,COMMAND(%),$(notdir $(tool_commands)))'
tools/heddle-heddle.$(OBJEXT): Makefile
tools_heddle_LDADD = lib/libheddle-kits.la lib/libheddle.la $(CAIRO_LIBS) -lm -ldl -lpthread

# The page that `heddle match --report' fills.
EXTRA_DIST += build-aux/gen-page.awk tools/match/report.html
BUILT_SOURCES += tools/match/report_page.h
CLEANFILES += tools/match/report_page.h
tools/match/report_page.h: $(srcdir)/tools/match/report.html $(srcdir)/build-aux/gen-page.awk
	@$(MKDIR_P) tools/match
	$(AM_V_GEN)$(AWK) -v name=report_page -f $(srcdir)/build-aux/gen-page.awk $(srcdir)/tools/match/report.html >$@.new && mv $@.new $@
tools/match/heddle-html.$(OBJEXT): tools/match/report_page.h
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
