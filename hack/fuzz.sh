#!/usr/bin/env bash
# Runs every fuzz target, one after the other, for the time in the first argument. Further
# arguments name folders, as in: hack/fuzz.sh 10m pkg/insight/suite
#
# An input that fails is written below testdata/fuzz of its package, where `go test` tries
# it from then on. What covers more code stays in the cache of the go command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

duration=${1:?name the time for each target, as in: hack/fuzz.sh 10m}
shift

# folders prints the folders of a module whose tests have fuzz targets.
folders() {
  local files='{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}} {{end}}'
  (cd "$1" && go list -f "$files" ./...) | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u
}

failed=()
for module in . pkg/apf test/parity; do
  for folder in $(folders "$module"); do
    name=${folder#"$PWD/"}
    [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
    for target in $(cd "$folder" && go test -vet=off -list '^Fuzz' . | grep '^Fuzz'); do
      echo "fuzz: $target in $name for $duration"
      (cd "$folder" && go test -vet=off -run='^$' -fuzz="^$target\$" -fuzztime="$duration" .) || failed+=("$name $target")
    done
  done
done
[[ ${#failed[@]} -eq 0 ]] || { printf 'fuzz: %s failed\n' "${failed[@]}" >&2; exit 1; }
