#!/usr/bin/env bash
# Reports in one sentence what this machine lacks for the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lacks() {
  printf 'This machine cannot run the tests: %s\n' "$1" >&2
  exit 1
}

command -v go >/dev/null || lacks 'the go command is missing. Install Go 1.26 and add its bin directory to PATH.'
command -v git >/dev/null || lacks 'the git command is missing. Install git.'
compiler=${CC:-$(go env CC)}
command -v "${compiler%% *}" >/dev/null ||
  lacks "the C compiler $compiler is missing, which the race detector requires. Install gcc or clang, or set CC."

# 2 GB for programs and data of the tests, 6 GB more for an empty build cache.
for folder in . "${TMPDIR:-/tmp}" "$(dirname "$(go env GOCACHE)")"; do
  [[ -d $folder ]] || continue
  free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  ((free >= 2048)) || lacks "the disk of $folder has $free MB free, and the tests need 2048. 'make clean' and 'go clean -cache' free some."
done

if ! errors=$(go list -deps ./cmd/... ./test/... 2>&1 >/dev/null); then
  case $errors in
  *'dial tcp'* | *'GOPROXY=off'* | *'no such host'*)
    lacks "modules cannot be downloaded. Connect it to a network, or set GOPROXY to a module proxy that it can reach ($(head -n 1 <<<"$errors"))." ;;
  esac
  lacks "$errors"
fi
