#!/usr/bin/env bash
# Prints the path of a go.mod of pkg/apf with another release of the Kubernetes
# libraries, for its tests with that release:
#
#   modfile=$(test/adoption/modfile.sh 0.34.13)
#   cd pkg/apf && go test -mod=mod -modfile="$modfile" ./...
#
# The file is regenerated from pkg/apf/go.mod each time, so it is always current. The
# result is reproducible, because the go command selects the minimal versions.
set -euo pipefail
release=${1:?"which release of k8s.io/apiserver, such as 0.34.13?"}
cd "$(dirname "$0")/../.."
file=$PWD/.cache/adoption/$release.mod
mkdir -p "$(dirname "$file")"
cd pkg/apf
cp go.mod "$file"
cp go.sum "${file%.mod}.sum"
modules=$(sed -nE 's,^\t(k8s\.io/[a-z-]+) v0\.[1-9][0-9.]*( .*)?$,\1,p' go.mod)
# shellcheck disable=SC2046,SC2086 # one argument for each module
go get -modfile="$file" $(printf "%s@v$release " $modules) 2>"${file%.mod}.log" || {
  cat "${file%.mod}.log" >&2
  echo "k8s.io/apiserver $release and what it needs cannot be had from the module proxy: check the network and GOPROXY" >&2
  exit 1
}
echo "$file"
