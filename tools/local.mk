# SPDX-License-Identifier: BSD-3-Clause
# Programs of tools/.

bin_PROGRAMS += tools/heddle
tools_heddle_SOURCES = tools/heddle.c tools/tool.c tools/tool.h tools/emit.c tools/emit.h \
  tools/progress.c tools/progress.h tools/match_job.h tools/match_report.c \
  tools/cmd_info.c tools/cmd_match.c tools/cmd_simulate.c \
  tools/cmd_bench.c tools/cmd_config.c
tools_heddle_LDADD = lib/libheddle.la -lm
tools_heddle_LDFLAGS = $(HED_SANITIZE_FLAGS)
