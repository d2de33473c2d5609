# SPDX-License-Identifier: BSD-3-Clause
# Manual and man page.

info_TEXINFOS = doc/heddle.texi
doc_heddle_TEXINFOS = \
  doc/arrays.texi \
  doc/backends.texi \
  doc/configuration.texi \
  doc/contexts.texi \
  doc/design.texi \
  doc/match.texi \
  doc/meaning.texi \
  doc/numerics.texi \
  doc/operations.texi \
  doc/overview.texi \
  doc/threads.texi \
  doc/tool.texi
EXTRA_DIST += doc/symbols-in-versions build-aux/gen-symbols.sh build-aux/gen-tables.awk

# Tables from the lists.
doc_tables = doc/ops-table.texi doc/status-table.texi
CLEANFILES += $(doc_tables)
doc/ops-table.texi: $(srcdir)/include/heddle/ops.def $(srcdir)/build-aux/gen-tables.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-tables.awk $(srcdir)/include/heddle/ops.def >$@
doc/status-table.texi: $(srcdir)/include/heddle/status.def $(srcdir)/build-aux/gen-tables.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-tables.awk $(srcdir)/include/heddle/status.def >$@
doc/heddle.info doc/heddle.html doc/heddle.pdf doc/heddle.dvi: $(doc_tables)
# Made in the build tree, as the tables are, and not part of a release.
DISTCLEANFILES = doc/heddle.info

# Adds symbols that the headers declare and the list lacks, under the present version.
.PHONY: update-symbols
update-symbols:
	@$(MKDIR_P) doc
	sh $(srcdir)/build-aux/gen-symbols.sh '$(CC)' $(srcdir)/include include >doc/symbols.new
	{ grep '^#' $(srcdir)/doc/symbols-in-versions; \
	  $(AWK) 'NR == FNR { if ($$0 !~ /^#/) since[$$1] = $$2; next } \
	    { print $$1, ($$1 in since) ? since[$$1] : "$(PACKAGE_VERSION)" }' \
	    $(srcdir)/doc/symbols-in-versions doc/symbols.new; } >doc/symbols.all
	cat doc/symbols.all >$(srcdir)/doc/symbols-in-versions
	rm -f doc/symbols.new doc/symbols.all

dist_man_MANS += doc/heddle.1
dist_check_SCRIPTS += tests/doc_examples.t tests/cli_man.t
