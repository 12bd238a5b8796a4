#!/usr/bin/env bash
# Checks that the generated code is current: generates it in a copy of the tree and
# compares.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/hack"
cp -r go.mod go.sum pkg "$copy/"
cp -r hack/boilerplate.go.txt hack/models-schema hack/update-codegen.sh hack/tools "$copy/hack/"
"$copy/hack/update-codegen.sh" >/dev/null

if ! diff -ruN pkg "$copy/pkg"; then
  echo "The generated code is not current. Run hack/update-codegen.sh and commit its changes." >&2
  exit 1
fi
