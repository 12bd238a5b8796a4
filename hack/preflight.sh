#!/usr/bin/env bash
# Says in one sentence what this machine lacks for the tests, before they begin.
# Ports need no check: each test takes ones that are free.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lacks() {
  printf 'This machine cannot run the tests: %s\n' "$1" >&2
  exit 1
}

command -v go >/dev/null || lacks 'there is no go command. Install Go 1.26 and put its bin folder into PATH.'
command -v git >/dev/null || lacks 'there is no git command. Install git.'
compiler=${CC:-$(go env CC)}
command -v "${compiler%% *}" >/dev/null ||
  lacks "there is no C compiler $compiler, which the race detector needs. Install gcc or clang, or set CC."

# 2 GB are programs and data of the tests; a cold build cache takes 6 GB more.
for folder in . "${TMPDIR:-/tmp}" "$(dirname "$(go env GOCACHE)")"; do
  [[ -d $folder ]] || continue
  free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  ((free >= 2048)) || lacks "the disk of $folder has $free MB left, and the tests need 2048. 'make clean' and 'go clean -cache' free some."
done

if ! errors=$(go list -deps ./cmd/... ./test/... 2>&1 >/dev/null); then
  case $errors in
  *'dial tcp'* | *'GOPROXY=off'* | *'no such host'*)
    lacks "modules cannot be downloaded. Connect it to a network, or set GOPROXY to a module proxy that it reaches ($(head -n 1 <<<"$errors"))." ;;
  esac
  lacks "$errors"
fi
