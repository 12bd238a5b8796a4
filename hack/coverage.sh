#!/usr/bin/env bash
# Measures which statements of the product the unit tests and the end-to-end tests run, and
# writes docs/evidence/coverage.md.
#
# The counters stay in .cache/coverage; PARTS=unit, e2e or report measures one part anew, and
# UNIT and E2E name other packages, as in: UNIT=./pkg/lint PARTS='unit report' hack/coverage.sh
# The server is built with counters, and writes them when it exits: one that a test kills
# writes none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CGO_ENABLED=0
module=$(go list -m)
folders=.cache/coverage
server=$(go list ./cmd/... ./pkg/... "$module/pkg/apf/..." | grep -v "^$module/pkg/generated")
plugin=$(cd kubectl-apf && go list ./... | grep -v "^$module/kubectl-apf/e2e")
product=$server$'\n'$plugin

# counters empties and prints the folder of a part.
counters() { rm -rf "$folders/$1" && mkdir -p "$folders/$1" && echo "$PWD/$folders/$1"; }

# cover tests packages of the module in a folder, and counts statements of packages, one a line.
cover() {
  (cd "$1" && go test -count=1 -vet=off -timeout=30m -coverpkg="$(tr '\n' , <<<"$2")" "${@:3}" -args -test.gocoverdir="$counters" |
    sed 's/ of statements in .*/ of the product/')
}

unit() {
  local counters status=0
  counters=$(counters unit)
  cover . "$server" ${UNIT:-$server} || status=$?
  cover kubectl-apf "$plugin" ${UNIT_PLUGIN:-$plugin} || status=$?
  return $status
}

e2e() {
  COVERAGE=1 go run ./test/binaries/build
  local status=0
  export COVERAGE=1 BINARIES=prebuilt GOCOVERDIR
  GOCOVERDIR=$(counters e2e)
  go test -count=1 -vet=off -p=2 -timeout=30m ${E2E:-./test/e2e/...} || status=$?
  (cd kubectl-apf && go test -count=1 -vet=off -p=2 -timeout=30m ${E2E_PLUGIN:-./e2e/...}) || status=$?
  return $status
}

# percent prints the name of each package and what the counters in folders cover of it. A package
# without statements shares its line with the next.
percent() { go tool covdata percent -i="$1" -pkg="$(tr '\n' , <<<"$product")" | sed -nE "s|^.*\s$module/(\S+)\s+coverage: (\S+)% of statements.*|\1 \2|p" | sort; }

# total prints what the counters in folders cover of the whole. The plug-in's module knows all packages.
total() { go tool covdata textfmt -i="$1" -pkg="$(tr '\n' , <<<"$product")" -o=$folders/text && (cd kubectl-apf && go tool cover -func=../$folders/text) | awk 'END { print $NF }'; }

report() {
  local unit=$folders/unit e2e=$folders/e2e
  {
    printf '# Coverage\n\nWhat tests run of the statements in cmd/, pkg/ and kubectl-apf/ that are not\ngenerated, in percent. `make\n'
    printf 'coverage` measures it and writes this file. A server that a test kills says nothing of what\nit ran.\n\n'
    printf '| package | unit tests | end-to-end tests | together |\n|---|--:|--:|--:|\n'
    printf '| all | %s | %s | %s |\n' "$(total $unit)" "$(total $e2e)" "$(total $unit,$e2e)"
    join -a1 -a2 -e0.0 -o0,1.2,2.2 <(percent $unit) <(percent $e2e) | join - <(percent $unit,$e2e) |
      sed -E 's#^(\S+) (\S+) (\S+) (\S+)#| `\1` | \2 % | \3 % | \4 % |#'
  } >docs/evidence/coverage.md
}

# Failed tests have run statements too: the report is written in any case.
status=0
for part in ${PARTS:-unit e2e report}; do "$part" || status=$?; done
exit $status
