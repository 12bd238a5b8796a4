#!/usr/bin/env bash
# Prints the flags with which the go command builds this module on another release of the
# Kubernetes libraries:
#
#   GOFLAGS="$GOFLAGS $(hack/base.sh 0.37)" go build ./...
#
# go.mod stays as it is. What the flags name is in .cache/base, and is made again when its
# sources have changed:
#   -modfile  go.mod with that release, and the etcd that its library is tested with
#   -overlay  generated code, made by the generators of that release, and the files of
#             folders named _base, each shown in the folder above. They import what the
#             modules of go.mod do not have, and `go mod tidy` reads all files that it sees
#   -tags     k8s0.35 for 0.35 and later, and so on; etcd36, etcd37; smd6, smd7 for
#             structured-merge-diff
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The newest patch of each release, and of its etcd.
case ${1:?"which release of k8s.io/apiserver, such as 0.37?"} in
0.33 | 0.33.13) exit ;; # go.mod
0.35) release=0.35.10 etcd=3.6.8 ;;
0.36) release=0.36.6 etcd=3.6.8 ;;
0.37) release=0.37.2 etcd=3.7.3 ;;
0.[0-9]*.[0-9]*) release=$1 etcd= ;; # with the etcd that it requires
*)
  rows=$(sed -nE 's/^(0\.[0-9]+)( \||\)).*/\1/p' hack/base.sh | paste -sd,)
  echo "k8s.io/apiserver $1 is not known: name ${rows//,/, }, or a version, such as 0.37.2" >&2
  exit 2
  ;;
esac
# The flags of the caller may name another module file. The go command takes the version of Go
# from go.mod, never from another module file: one for all commands.
export GOFLAGS="-buildvcs=false -trimpath" GOWORK=off
GOTOOLCHAIN=$(go env GOVERSION) && export GOTOOLCHAIN
base=$PWD/.cache/base/$release
mkdir -p "$base"
exec 9>"$base/lock"
flock 9

# try COMMAND... shows what it says only if it fails.
try() {
  "$@" >"$base/log" 2>&1 || {
    cat "$base/log" >&2
    local needed
    needed=$(sed -nE 's/.* requires go >= ([0-9.]+) .*/\1/p' "$base/log" | tail -n 1)
    if [ -n "$needed" ]; then
      echo "k8s.io/apiserver $release needs Go $needed, and this is $GOTOOLCHAIN: install it, or set GOTOOLCHAIN=go$needed for this script and for builds with its flags" >&2
    else
      echo "k8s.io/apiserver $release cannot be the base: change what the messages name, or check the network and GOPROXY" >&2
    fi
    exit 1
  }
}

version_of() { go list -mod=mod -modfile="$base/go.mod" -m -f '{{.Version}}' "$1"; }

make_module_file() {
  local modules
  cp go.mod go.sum "$base/"
  modules=$(sed -nE 's,^\t(k8s\.io/[a-z-]+) v0\.[1-9][0-9.]*( .*)?$,\1,p' go.mod)
  # shellcheck disable=SC2046,SC2086 # one argument for each module
  try go get -modfile="$base/go.mod" $(printf "%s@v$release " $modules)
  etcd=v${etcd:-$(version_of go.etcd.io/etcd/api/v3 | tr -d v)}
  try go get -modfile="$base/go.mod" go.etcd.io/etcd/{api,client,client/pkg,server,etcdutl}/v3@"$etcd"
}

make_tags() {
  local requirements tags i
  requirements=$(go list -mod=mod -modfile="$base/go.mod" -m -f '{{.GoMod}}' k8s.io/apiserver)
  tags=smd$(sed -nE 's,^.*sigs.k8s.io/structured-merge-diff/v([0-9]+) .*$,\1,p' "$requirements")
  for ((i = 34; i <= $(cut -d. -f2 <<<"$release"); i++)); do tags+=,k8s0.$i; done
  for ((i = 6; i <= $(cut -d. -f2 <<<"$etcd"); i++)); do tags+=,etcd3$i; done
  echo "$tags" >"$base/tags"
}

# generate_code runs the generators of the release in a copy of the tree.
generate_code() {
  local tree=$base/tree openapi
  rm -rf "$tree"
  mkdir -p "$tree/hack"
  cp -r pkg "$base"/go.{mod,sum} "$tree/"
  cp -r hack/boilerplate.go.txt hack/models-schema hack/update-codegen.sh hack/tools "$tree/hack/"
  openapi=$(version_of k8s.io/kube-openapi)
  (
    cd "$tree/hack/tools/checks"
    try go get "k8s.io/code-generator@v$release" "k8s.io/kube-openapi@$openapi"
    export GOFLAGS="$GOFLAGS -mod=mod"
    try "$tree/hack/update-codegen.sh"
  )
}

# Only what builds need stays of the copy.
keep_generated() {
  rm -rf "$base/shown"
  mkdir "$base/shown"
  (cd "$base/tree" && generated . | xargs cp --parents -t "$base/shown")
  rm -rf "$base/tree"
  mkdir -p "$base/shown/pkg/server"
  sed -E "s/v1\.[0-9.]+/v1${release#0}/" pkg/server/kubernetesversion.go >"$base/shown/pkg/server/kubernetesversion.go"
}

generated() { (cd "$1" && find pkg -path 'pkg/generated/*.go' -o -path 'pkg/apis/*/zz_generated.*.go' | LC_ALL=C sort); }

differences() { git ls-files --cached --others --exclude-standard -- '*/_base/*.go' | LC_ALL=C sort; }

# make_overlay hides generated files that the release does not have, and shows the others and
# the differences.
make_overlay() {
  local file separator=''
  replace() { printf '%s\n  "%s": "%s"' "$separator" "$PWD/$1" "$2" && separator=,; }
  echo '{"Replace": {'
  while read -r file; do
    [ -e "$base/shown/$file" ] || replace "$file" ''
  done < <(generated .)
  while read -r file; do
    cmp -s "$file" "$base/shown/$file" || replace "$file" "$base/shown/$file"
  done < <(cd "$base/shown" && find pkg -name '*.go' | LC_ALL=C sort)
  while read -r file; do
    [ ! -e "$file" ] || replace "${file/_base\//}" "$PWD/$file"
  done < <(differences)
  printf '\n}}\n'
}

sources=$({ echo "$release $etcd $PWD" && git ls-files --cached --others --exclude-standard -- go.mod go.sum pkg/apf/go.mod hack/base.sh hack/update-codegen.sh \
  hack/models-schema hack/tools/checks pkg/apis pkg/generated pkg/server/kubernetesversion.go | LC_ALL=C sort | xargs sha256sum; } | sha256sum)
if [ "$(cat "$base/sources" 2>/dev/null)" != "$sources" ]; then
  rm -f "$base/sources" "$base/differences"
  make_module_file
  make_tags
  generate_code
  keep_generated
  echo "$sources" >"$base/sources"
fi
flags="-mod=mod -modfile=$base/go.mod -overlay=$base/overlay.json -tags=$(cat "$base/tags")"
if [ "$(cat "$base/differences" 2>/dev/null)" != "$(differences)" ]; then
  make_overlay >"$base/overlay.json"
  # shellcheck disable=SC2086 # several flags
  GOFLAGS="$GOFLAGS $flags" try go list -deps -test ./... # adds the modules that files of _base import
  differences >"$base/differences"
fi
echo "$flags"
