# SPDX-License-Identifier: BSD-3-Clause
# Programs of tools/.

# libpng is linked here and nowhere else; without it picture_png.c writes no pictures.
tool_picture_sources = tools/font.c tools/font.h tools/picture.c tools/picture.h \
  tools/picture_png.c tools/picture_png.h

bin_PROGRAMS += tools/heddle
tools_heddle_SOURCES = tools/heddle.c tools/tool.c tools/tool.h tools/emit.c tools/emit.h \
  tools/progress.c tools/progress.h tools/match_job.h tools/match_report.c \
  tools/cmd_info.c tools/info_ops.c tools/info_ops.h tools/cmd_match.c tools/cmd_simulate.c \
  tools/cmd_bench.c tools/cmd_config.c tools/cmd_wisdom.c $(tool_picture_sources)
tools_heddle_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
tools_heddle_LDADD = lib/libheddle.la $(PNG_LIBS) -lm
tools_heddle_LDFLAGS = $(HED_SANITIZE_FLAGS)
