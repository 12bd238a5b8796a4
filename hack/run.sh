#!/usr/bin/env bash
# Compiles the server, counting packages, and runs it. Flags of `go build` come first:
#
#   hack/run.sh [GO_FLAG]... -- [SERVER_FLAG]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

flags=()
while [[ $# -gt 0 && $1 != -- ]]; do flags+=("$1") && shift; done
shift || true

package=./cmd/flowcontrol-apiserver
program=.cache/run/flowcontrol-apiserver
mkdir -p "${program%/*}"

# Packages that the build cache does not have.
packages=$(go list -deps -f '{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}' "$package")
total=$(grep -c . <<<"$packages" || true)
if [[ $total -gt 20 ]]; then
  echo "run: compiling $total packages (minutes the first time)"
else
  echo "run: compiling and linking the server"
fi

# `go build -v` prints the import path of each package that it compiles. Other lines are messages.
[[ -t 1 ]] && step=1 end=$'\r' || step=50 end=$'\n'
go build -v "${flags[@]}" -ldflags='-s -w' -o "$program" "$package" 2>&1 | awk -v total="$total" -v step="$step" -v end="$end" '
  !/^[A-Za-z0-9._~\/-]+$/ { print > "/dev/stderr"; next }
  total > 20 && ++compiled % step == 0 { printf "run: %d of %d packages%s", compiled, total, end; fflush() }
  END { if (total > 20 && end == "\r") print "" }'
[[ $total -le 20 ]] || echo "run: $total packages compiled"

exec "$program" "$@"
