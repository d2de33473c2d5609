# SPDX-License-Identifier: BSD-3-Clause
# A text in; C source with an array of its lines out.
#
#   awk -v name=report_page -f gen-page.awk FILE
BEGIN { print "/* Made by gen-page.awk. */\nstatic const char *const " name "[] = {" }
{
  gsub(/[\\"]/, "\\\\&")
  gsub(/\?\?/, "?\"\"?")
  print "  \"" $0 "\\n\","
}
END { print "};" }
