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
#             folders named _base, each shown in the folder above. `go mod tidy` would read
#             them beside go.mod, whose modules do not have what they import
#   -tags     k8s0.35 for 0.35 and later, and so on; etcd36, etcd37; smd6, smd7 for
#             structured-merge-diff
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The newest patches of each release, and of the etcd that it is tested with.
case ${1:?"which release of k8s.io/apiserver, such as 0.37?"} in
0.33 | 0.33.13) exit ;; # go.mod
0.35) release=0.35.10 etcd=3.6.8 ;;
0.36) release=0.36.6 etcd=3.6.8 ;;
0.37) release=0.37.2 etcd=3.7.3 ;;
0.*.*) release=$1 etcd= ;;
*) echo "k8s.io/apiserver $1 is not known: name 0.33, 0.35, 0.36, 0.37, or a version such as 0.37.2" >&2 && exit 2 ;;
esac
# Flags of the caller may name another module file.
export GOFLAGS="-buildvcs=false -trimpath" GOWORK=off
base=$PWD/.cache/base/$release
mkdir -p "$base"
exec 9>"$base/lock"
flock 9

sources=$({ echo "$release $etcd" && git ls-files -co --exclude-standard -- go.mod go.sum pkg/apf/go.mod hack/base.sh hack/update-codegen.sh \
  hack/models-schema hack/tools/codegen pkg/apis '*/_base/*.go' | LC_ALL=C sort | xargs sha256sum; } | sha256sum)
if [ ! -e "$base/flags" ] || [ "$(cat "$base/sources" 2>/dev/null)" != "$sources" ]; then
  rm -f "$base/flags"

  # try COMMAND... shows what it says only if it fails.
  try() {
    "$@" >"$base/log" 2>&1 || {
      cat "$base/log" >&2
      echo "k8s.io/apiserver $release and what it needs cannot be had: check the network, GOPROXY, and the version of Go ($(go env GOVERSION))" >&2
      exit 1
    }
  }

  # The module file.
  cp go.mod "$base/go.mod"
  cp go.sum "$base/go.sum"
  modules=$(sed -nE 's,^\t(k8s\.io/[a-z-]+) v0\.[1-9][0-9.]*( .*)?$,\1,p' go.mod)
  # shellcheck disable=SC2046,SC2086 # one argument for each module
  try go get -modfile="$base/go.mod" $(printf "%s@v$release " $modules)
  version_of() { go list -mod=mod -modfile="$base/go.mod" -m -f '{{.Version}}' "$1"; }
  etcd=v${etcd:-$(version_of go.etcd.io/etcd/api/v3 | tr -d v)}
  try go get -modfile="$base/go.mod" go.etcd.io/etcd/{api,client,client/pkg,server,etcdutl}/v3@"$etcd"

  # The tags.
  minor=$(cut -d. -f2 <<<"$release")
  library=$(go list -mod=mod -modfile="$base/go.mod" -m -f '{{.GoMod}}' k8s.io/apiserver)
  tags=smd$(sed -nE 's,^.*sigs.k8s.io/structured-merge-diff/v([0-9]+) .*$,\1,p' "$library")
  for ((i = 34; i <= minor; i++)); do tags+=,k8s0.$i; done
  for ((i = 6; i <= $(cut -d. -f2 <<<"$etcd"); i++)); do tags+=,etcd3$i; done

  # The generated code.
  rm -rf "$base/tree"
  mkdir -p "$base/tree/hack"
  cp -r pkg "$base/tree/"
  cp "$base"/go.{mod,sum} "$base/tree/"
  cp -r hack/boilerplate.go.txt hack/models-schema hack/update-codegen.sh hack/tools "$base/tree/hack/"
  openapi=$(version_of k8s.io/kube-openapi)
  (
    cd "$base/tree/hack/tools/codegen"
    try go get "k8s.io/code-generator@v$release" "k8s.io/kube-openapi@$openapi"
    export GOFLAGS="$GOFLAGS -mod=mod"
    try "$base/tree/hack/update-codegen.sh"
  )
  generated() { (cd "$1" && find pkg -path pkg/generated/'*.go' -o -path pkg/apis/'*/zz_generated.*.go' | LC_ALL=C sort); }
  {
    echo '{"Replace": {'
    generated . | while read -r file; do
      [ -e "$base/tree/$file" ] || printf '  "%s": "",\n' "$PWD/$file"
    done
    generated "$base/tree" | while read -r file; do
      cmp -s "$file" "$base/tree/$file" || printf '  "%s": "%s",\n' "$PWD/$file" "$base/tree/$file"
    done
    git ls-files -co --exclude-standard -- '*/_base/*.go' | LC_ALL=C sort | while read -r file; do
      printf '  "%s": "%s",\n' "$PWD/${file/_base\//}" "$PWD/$file"
    done
    printf '  "%s": ""\n}}\n' "$PWD/.none.go"
  } >"$base/overlay.json"

  # All requirements, so that builds do not change the module file.
  flags="-modfile=$base/go.mod -overlay=$base/overlay.json -tags=$tags"
  # shellcheck disable=SC2086 # several flags
  try go list -mod=mod $flags -deps -test ./...
  echo "$flags" >"$base/flags"
  echo "$sources" >"$base/sources"
fi
cat "$base/flags"
