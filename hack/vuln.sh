#!/usr/bin/env bash
# Looks for known vulnerabilities in what is shipped: the server and the plug-in, on each system
# of a release, with the Go of go.mod's toolchain line. The database is a module, whose version is
# in hack/tools/checks/go.mod. What is found must be what hack/vulnerabilities.txt lists.
#
# The engine is scanned as a part of both programs, and alone with its own go.mod, which names the lowest
# versions: SECURITY.md tells adopters which modules to raise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
govulncheck=$PWD/bin/govulncheck
list=$PWD/hack/vulnerabilities.txt
GOTOOLCHAIN=$(sed -n 's/^toolchain //p' go.mod)
export GOTOOLCHAIN CGO_ENABLED=0

if ! awk '/^GO-/ && (NF < 3 || $2 !~ /^(called|imported)$/) { print; bad = 1 } END { exit bad }' "$list" >&2; then
  echo "vuln: the lines above need an ID, 'called' or 'imported', and a reason: see $list" >&2
  exit 2
fi

(cd hack/tools/checks && go mod download golang.org/x/vulndb)
database=$(cd hack/tools/checks && go list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT

# scan MODULE PACKAGE SYSTEM... prints a line for each vulnerability: its ID, and whether the
# program calls what is vulnerable or only imports its package.
scan() {
  local module=$1 package=$2 system status
  shift 2
  for system; do
    echo "vuln: $module $package on $system" >&2
    status=0
    (cd "$module" && GOOS=$system "$govulncheck" -db "file://$database" -show verbose "$package") >"$log.one" 2>&1 || status=$?
    if [ "$status" != 0 ] && [ "$status" != 3 ]; then # 3: something is called
      cat "$log.one" >&2
      echo "vuln: nothing was checked, since govulncheck failed with the message above" >&2
      exit 2
    fi
    cat "$log.one" >>"$log"
    awk '/^=== Symbol / { level = "called" } /^=== Package / { level = "imported" } /^=== Module / { level = "" }
      /^Vulnerability #/ && level { print $3, level }' "$log.one"
  done
}

{ scan . ./cmd/flowcontrol-apiserver linux darwin && scan kubectl-apf . linux darwin windows; } >"$log.all"
sort -u "$log.all" >"$log.found"
awk '/^GO-/ { print $1, $2 }' "$list" | sort -u >"$log.listed"

status=0
while read -r id level; do
  awk -v RS= -v id="$id" '$3 == id && !seen++' "$log" >&2
  echo "vuln: $id is $level: raise its module, or list it with the reason in hack/vulnerabilities.txt" >&2
  status=1
done < <(comm -23 "$log.found" "$log.listed")
while read -r id level; do
  echo "vuln: $id is no longer $level: remove its line from hack/vulnerabilities.txt" >&2
  status=1
done < <(comm -13 "$log.found" "$log.listed")

scan pkg/apf ./... linux >/dev/null
while read -r module version; do
  grep -qF "\`$module\` before $version" SECURITY.md && continue
  echo "vuln: the engine calls vulnerabilities of $module before $version: name that in SECURITY.md" >&2
  status=1
done < <(awk '/^=== / { called = $2 == "Symbol" } called && /Fixed in:/ { split($3, fixed, "@v"); sub("/otel/.*", "/otel", fixed[1]); print fixed[1], fixed[2] }' "$log.one" |
  sort -k1,1 -k2,2Vr | sort -uk1,1)
[ "$status" != 0 ] || echo "vuln: the server and the plug-in have what hack/vulnerabilities.txt lists, and the engine what SECURITY.md names, and nothing else"
exit "$status"
