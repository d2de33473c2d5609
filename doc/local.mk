# SPDX-License-Identifier: BSD-3-Clause
# Manual and man page.

info_TEXINFOS = doc/heddle.texi
doc_heddle_TEXINFOS = \
  doc/arrays.texi \
  doc/backends.texi \
  doc/configuration.texi \
  doc/cuda.texi \
  doc/contexts.texi \
  doc/cxx.texi \
  doc/design.texi \
  doc/exchange.texi \
  doc/from-others.texi \
  doc/fusion.texi \
  doc/gradients.texi \
  doc/match.texi \
  doc/meaning.texi \
  doc/memory.texi \
  doc/nn-train.texi \
  doc/nn.texi \
  doc/numerics.texi \
  doc/operations.texi \
  doc/overview.texi \
  doc/profiles.texi \
  doc/programs.texi \
  doc/promise.texi \
  doc/python.texi \
  doc/reference.texi \
  doc/sharp-edges.texi \
  doc/tensor.texi \
  doc/threads.texi \
  doc/tool.texi \
  doc/trains.texi \
  doc/tutorial.texi \
  doc/ultrasound.texi \
  doc/vsa-encode.texi \
  doc/vsa.texi
EXTRA_DIST += doc/interface-0 build-aux/interface.py doc/symbols-of-heddle doc/symbols-of-heddle-kits \
  build-aux/gen-symbols.sh build-aux/gen-rules.awk build-aux/gen-tables.awk build-aux/headers.awk build-aux/gen-reference.awk

# Tables from the lists.
doc_tables = doc/numpy-table.texi doc/torch-table.texi doc/arrayfire-table.texi \
  doc/ops-table.texi doc/rules-table.texi doc/status-table.texi doc/reference-pages.texi
CLEANFILES += $(doc_tables)
doc/ops-table.texi: $(srcdir)/include/heddle/ops.def $(srcdir)/build-aux/gen-tables.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-tables.awk $(srcdir)/include/heddle/ops.def >$@
doc/rules-table.texi: $(srcdir)/include/heddle/ops.def $(srcdir)/lib/core/record/rules.def $(srcdir)/build-aux/gen-rules.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-rules.awk $(srcdir)/include/heddle/ops.def \
	  $(srcdir)/lib/core/record/rules.def >$@
doc/status-table.texi: $(srcdir)/include/heddle/status.def $(srcdir)/build-aux/gen-tables.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/gen-tables.awk $(srcdir)/include/heddle/status.def >$@

# Reference pages from the headers: a chapter of the manual, and one page of section 3 for each operation and function.
# The first two files come first.
reference_sources = $(srcdir)/include/heddle/ops.h $(srcdir)/include/heddle/ops.def \
  $(filter %.h, $(filter-out %/ops.h, $(heddleops_HEADERS:%=$(srcdir)/%) $(heddle_HEADERS:%=$(srcdir)/%) \
    $(heddlekits_HEADERS:%=$(srcdir)/%))) include/heddle/version.h
page_areas = bits core create elementwise fft files gradients image index linalg macros maps match match-files nn nn-cells \
  nn-data nn-layers nn-losses nn-params nn-rbm nn-train nn-wiring random reduce rotation runtime search shape tensor \
  tensor-algebra tensor-checks tensor-losses tensor-models tensor-sparse trains ultrasound vsa vsa-encode vsa-memory vsa-vectors
page_stanzas = $(page_areas:%=$(srcdir)/doc/pages/%.pages)
page_inputs = -v stanzas="$(page_stanzas)" -v cases=$(srcdir)/tests/cases.def
EXTRA_DIST += $(page_stanzas) build-aux/pages.awk
reference_scripts = $(srcdir)/build-aux/headers.awk $(srcdir)/build-aux/pages.awk $(srcdir)/build-aux/gen-reference.awk
doc/reference-pages.texi: $(reference_sources) $(reference_scripts) $(page_stanzas)
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) $(reference_scripts:%=-f %) $(page_inputs) -v mode=texi $(reference_sources) >$@
names_tables = doc/numpy-table.texi doc/torch-table.texi doc/arrayfire-table.texi
$(names_tables): $(reference_sources) $(reference_scripts) $(page_stanzas)
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) $(reference_scripts:%=-f %) $(page_inputs) -v mode=names -v library=$(patsubst doc/%-table.texi,%,$@) \
	  $(reference_sources) >$@
doc/man3.stamp: $(reference_sources) $(reference_scripts) $(page_stanzas)
	@rm -rf doc/man3 && $(MKDIR_P) doc/man3
	$(AM_V_GEN)$(AWK) $(reference_scripts:%=-f %) $(page_inputs) -v mode=man -v dir=doc/man3 \
	  -v version=$(PACKAGE_VERSION) $(reference_sources) && touch $@
# The stanzas for bindings, beside the interface as data.
tools/pages.txt: $(reference_sources) $(reference_scripts) $(page_stanzas)
	@$(MKDIR_P) tools
	$(AM_V_GEN)$(AWK) $(reference_scripts:%=-f %) $(page_inputs) -v mode=text $(reference_sources) >$@
nodist_pkgdata_DATA = tools/pages.txt
CLEANFILES += tools/pages.txt
man3dir = $(mandir)/man3
all-local: doc/man3.stamp
install-data-local: doc/man3.stamp
	$(MKDIR_P) "$(DESTDIR)$(man3dir)"
	$(INSTALL_DATA) doc/man3/*.3 "$(DESTDIR)$(man3dir)"
uninstall-local:
	cd doc/man3 && for p in *.3; do rm -f "$(DESTDIR)$(man3dir)/$$p"; done
clean-local:
	rm -rf doc/man3 doc/man3.stamp doc/site-search

doc/heddle.info doc/heddle.html doc/heddle.pdf doc/heddle.dvi: $(doc_tables)

# The manual as a folder of pages with search, read from a disk or served: `make html', doc/heddle.html.  With the tool built
# and Cairo there it shows a search of the match kit, made for it.
site = doc/site/style.css doc/site/search.js doc/site/stack.svg doc/site/inheritance.svg doc/site/spaces.svg doc/site/fusion.svg
EXTRA_DIST += $(site) build-aux/site.py
AM_MAKEINFOHTMLFLAGS = --css-ref=style.css \
  -c EXTRA_HEAD='<script src="sections.js" defer></script><script src="search.js" defer></script>'
doc/site-search.stamp: tools/heddle$(EXEEXT)
	rm -rf doc/site-search && $(MKDIR_P) doc/site-search
	$(AM_V_GEN). tests/env.sh && cd doc/site-search && h=$$OLDPWD/tools/heddle && \
	  "$$h" simulate -o data --shape 64 --copies 4 --dark --noise-sigma 1 --tilts=-60,60 >/dev/null && \
	  "$$h" match data/tomogram.mrc data/template.mrc --mask data/mask.mrc --invert --tilts=-60,60 --angular-step 30 \
	    --truth data/truth.tsv -o search >/dev/null && touch ../site-search.stamp
CLEANFILES += doc/site-search.stamp
html-local: doc/heddle.html
	cp $(site:%=$(srcdir)/%) doc/heddle.html
	if [ -e tools/heddle$(EXEEXT) ]; then \
	  $(MAKE) $(AM_MAKEFLAGS) doc/site-search.stamp && cp doc/site-search/search*.png doc/heddle.html || :; \
	fi
	python3 $(srcdir)/build-aux/site.py doc/heddle.html
# Made in the build tree, as the tables are, and in pieces.
DISTCLEANFILES = doc/heddle.info*

# Adds symbols that the headers declare and the lists lack, under the present version.
.PHONY: update-symbols
update-symbols:
	@$(MKDIR_P) doc
	for l in heddle heddle-kits; do \
	  sh $(srcdir)/build-aux/gen-symbols.sh $$l '$(CC)' $(srcdir)/include include >doc/symbols.new && \
	  { grep '^#' $(srcdir)/doc/symbols-of-$$l; \
	    $(AWK) 'NR == FNR { if ($$0 !~ /^#/) since[$$1] = $$2; next } \
	      { print $$1, ($$1 in since) ? since[$$1] : "$(PACKAGE_VERSION)" }' \
	      $(srcdir)/doc/symbols-of-$$l doc/symbols.new; } >doc/symbols.all && \
	  cat doc/symbols.all >$(srcdir)/doc/symbols-of-$$l || exit 1; \
	done
	rm -f doc/symbols.new doc/symbols.all
.PHONY: update-interface
update-interface: tools/api.json
	{ grep '^#' $(srcdir)/doc/interface-0; python3 $(srcdir)/build-aux/interface.py tools/api.json; } >tools/interface.new
	cat tools/interface.new >$(srcdir)/doc/interface-0
	rm -f tools/interface.new

dist_man_MANS += doc/heddle.1
dist_check_SCRIPTS += tests/house/doc_examples.t tests/house/page_examples.t tests/cli/man.t
