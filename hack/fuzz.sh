#!/usr/bin/env bash
# Runs every fuzz target for the time in the first argument. Further arguments name folders,
# as in: hack/fuzz.sh 10m kubectl-apf/suite
# JOBS targets run at once (one, unless it is set), and share the processors.
#
# An input that fails is written below testdata/fuzz of its package, where `go test` tries
# it from then on. What covers more code stays in the cache of the go command; the KEEP newest
# of them (none, unless it is set) are copied there too, unless they have more than 4 KiB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export DURATION=${1:?name the time for each target, as in: hack/fuzz.sh 10m}
shift
jobs=${JOBS:-1}
export WORKERS=$(($(getconf _NPROCESSORS_ONLN) / jobs))
[[ $WORKERS -gt 0 ]] || WORKERS=1
FAILED=$(mktemp) && export FAILED
trap 'rm -f "$FAILED"' EXIT

# folders prints the folders of a module whose tests have fuzz targets.
folders() {
  local files='{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}} {{end}}'
  (cd "$1" && go list -f "$files" ./...) | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u
}

# targets prints a folder and a target of it in each line.
targets() {
  local module folder name
  for module in . pkg/apf kubectl-apf test/parity hack/lab; do
    for folder in $(folders "$module"); do
      name=${folder#"$PWD/"}
      [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
      grep -ho '^func Fuzz[A-Za-z0-9_]*' "$folder"/*_test.go | sed "s|^func|$name|"
    done
  done
}

# fuzz runs one target. Its output comes whole, since others run too. An input is made smaller by
# at most 200 tries: with a minute, the go command's own limit, targets did little else.
fuzz() {
  local output
  echo "fuzz: $2 in $1 for $DURATION"
  output=$(cd "$1" && go test -vet=off -run='^$' -fuzz="^$2\$" -fuzztime="$DURATION" -fuzzminimizetime=200x -parallel="$WORKERS" . 2>&1) \
    || ended "$2" "$output" || echo "$1 $2" >>"$FAILED"
  printf '%s\n' "$output"
}

# ended reports whether a target failed for no other reason than that its time was up, a race of
# the go command before 1.27, https://go.dev/issue/75804.
ended() {
  [[ $2 == *"--- FAIL: $1 ("*"s)"$'\n'"    context deadline exceeded"$'\n'"FAIL"* && $2 != *"Failing input"* ]]
}

# keep copies inputs that cover more code.
keep() {
  local cache file
  cache=$(go env GOCACHE)/fuzz/$(cd "$1" && go list .)/$2
  [[ ${KEEP:-0} -gt 0 && -d $cache ]] || return 0
  mkdir -p "$1/testdata/fuzz/$2"
  find "$cache" -type f -size -9 -printf '%T@ %p\n' | sort -rn | head -n "$KEEP" | while read -r _ file; do
    cp "$file" "$1/testdata/fuzz/$2/"
  done
}
export -f fuzz ended keep

targets "$@" | xargs -P "$jobs" -L 1 bash -c 'fuzz "$@" && keep "$@"' fuzz
[[ ! -s $FAILED ]] || { sed 's/^/fuzz: &/; s/$/ failed/' "$FAILED" >&2; exit 1; }
