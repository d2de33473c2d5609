# SPDX-License-Identifier: BSD-3-Clause
# The kits' interfaces as data. It comes after all kits: their headers are known then.

lib_kits_libkits_la_SOURCES += lib/kits/reflect/reflect.c

# The tables of reflect.c, from the headers: $(api_headers) say what the types of the library are.
kit_headers = $(filter-out %/reflect.h,$(heddlekits_HEADERS:%=$(srcdir)/%))
heddlekits_HEADERS += include/heddle/kits/reflect.h
BUILT_SOURCES += lib/kits/reflect/kit_rows.inc
lib/kits/reflect/reflect.lo: lib/kits/reflect/kit_rows.inc
CLEANFILES += lib/kits/reflect/kit_rows.inc
EXTRA_DIST += lib/kits/reflect/arguments.def
lib/kits/reflect/kit_rows.inc: $(api_headers) $(kit_headers) $(api_scripts) $(srcdir)/lib/kits/reflect/arguments.def
	@$(MKDIR_P) lib/kits/reflect
	$(AM_V_GEN)$(AWK) $(api_scripts:%=-f %) -v notes=$(srcdir)/lib/kits/reflect/arguments.def -v only=heddle/kits/ \
	  $(api_headers) $(kit_headers) >$@.new && mv $@.new $@
