# SPDX-License-Identifier: BSD-3-Clause
# Manual and man page.

EXTRA_DIST += doc/symbols-in-versions build-aux/gen-symbols.sh

# Adds symbols that the headers declare and the list lacks, under the present version.
.PHONY: update-symbols
update-symbols:
	@mkdir -p doc
	sh $(srcdir)/build-aux/gen-symbols.sh '$(CC)' $(srcdir)/include include >doc/symbols.new
	{ grep '^#' $(srcdir)/doc/symbols-in-versions; \
	  $(AWK) 'NR == FNR { if ($$0 !~ /^#/) since[$$1] = $$2; next } \
	    { print $$1, ($$1 in since) ? since[$$1] : "$(PACKAGE_VERSION)" }' \
	    $(srcdir)/doc/symbols-in-versions doc/symbols.new; } >doc/symbols.all
	cat doc/symbols.all >$(srcdir)/doc/symbols-in-versions
	rm -f doc/symbols.new doc/symbols.all
