#!/usr/bin/env bash
# Prints hack/vulnerabilities.txt, or the file that LIST names, as an OpenVEX document of a release, so that scanners
# leave out what has a reason to stay:
#
#   hack/openvex.sh 0.2.0
#
# What is imported only is not affected: hack/vuln.sh has found no call. What is called is affected. The time is
# that of the commit, so the same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:?"must be a release, as 0.2.0"}
module=$(sed -n 's/^module //p' go.mod)

awk -v version="v${version#v}" -v module="$module" -v time="$(git log -1 --format=%cI)" '
function quote(text) { gsub(/[\\"]/, "\\\\&", text); return "\"" text "\"" }
BEGIN {
  print "{\n  \"@context\": \"https://openvex.dev/ns/v0.2.0\","
  print "  \"@id\": " quote("https://" module "/releases/download/" version "/openvex.json") ","
  print "  \"author\": " quote("The maintainers of https://" module) ","
  print "  \"timestamp\": " quote(time) ",\n  \"version\": 1,\n  \"statements\": ["
}
/^GO-/ {
  reason = $0; sub(/^[^ ]+ +[^ ]+ +/, "", reason)
  printf "%s    {\n      \"vulnerability\": {\"@id\": %s, \"name\": %s},\n", separator, quote("https://pkg.go.dev/vuln/" $1), quote($1)
  printf "      \"products\": [{\"@id\": %s}, {\"@id\": %s}],\n", quote("pkg:golang/" module "@" version), quote("pkg:golang/" module "/kubectl-apf@" version)
  if ($2 == "called") printf "      \"status\": \"affected\",\n      \"action_statement\": %s\n    }", quote(reason)
  else printf "      \"status\": \"not_affected\",\n      \"justification\": \"vulnerable_code_not_in_execute_path\",\n      \"impact_statement\": %s\n    }", quote(reason)
  separator = ",\n"
}
END { print "\n  ]\n}" }' "${LIST:-hack/vulnerabilities.txt}"
