# SPDX-License-Identifier: BSD-3-Clause
# The kit of hyperdimensional computing.

heddlekits_HEADERS += \
  include/heddle/kits/vsa.h \
  include/heddle/kits/vsa_encode.h \
  include/heddle/kits/vsa_memory.h

# Models.
lib_kits_libkits_la_SOURCES += \
  lib/kits/vsa/binary.c \
  lib/kits/vsa/bsdc.c \
  lib/kits/vsa/call.c \
  lib/kits/vsa/capacity.c \
  lib/kits/vsa/check.c \
  lib/kits/vsa/constants.c \
  lib/kits/vsa/convert.c \
  lib/kits/vsa/draw.c \
  lib/kits/vsa/fhrr.c \
  lib/kits/vsa/ghrr.c \
  lib/kits/vsa/hrr.c \
  lib/kits/vsa/internal.h \
  lib/kits/vsa/map.c \
  lib/kits/vsa/mcr.c \
  lib/kits/vsa/model.c \
  lib/kits/vsa/packed.c \
  lib/kits/vsa/seg.c \
  lib/kits/vsa/spec.c \
  lib/kits/vsa/sums.c \
  lib/kits/vsa/ties.c \
  lib/kits/vsa/valid.c \
  lib/kits/vsa/vtb.c \
  lib/kits/vsa/words.c

# Memories.
lib_kits_libkits_la_SOURCES += \
  lib/kits/vsa/classify.c \
  lib/kits/vsa/cleanup.c \
  lib/kits/vsa/items.c \
  lib/kits/vsa/items.h \
  lib/kits/vsa/items_file.c \
  lib/kits/vsa/numbers.c \
  lib/kits/vsa/resonator.c \
  lib/kits/vsa/sdm.c \
  lib/kits/vsa/store.c

# Encoders.
lib_kits_libkits_la_SOURCES += \
  lib/kits/vsa/decode.c \
  lib/kits/vsa/encode.c \
  lib/kits/vsa/encode.h \
  lib/kits/vsa/encode_image.c \
  lib/kits/vsa/encode_level.c \
  lib/kits/vsa/encode_residue.c \
  lib/kits/vsa/encode_scalar.c \
  lib/kits/vsa/encode_sequence.c \
  lib/kits/vsa/encode_structure.c \
  lib/kits/vsa/encode_vector.c \
  lib/kits/vsa/spectra.c
