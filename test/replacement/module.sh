#!/usr/bin/env bash
# Makes a module in which programs and tests of a Kubernetes release are built with
# pkg/apf in place of the engine of k8s.io/apiserver, and prints its folder:
#
#   cd "$(test/replacement/module.sh 1.33.13 [FOLDER of a module with that release])"
#   go build -mod=mod k8s.io/kubernetes/cmd/kube-apiserver
#
# The folder has a copy of k8s.io/apiserver, in which four files are changed and two are
# added: testdata/engine.go chooses the engine by the variable FLOW_CONTROL_ENGINE, and
# testdata/chain.go lets storages exchange the seats of lists. With "library" the programs are
# those of the release. It also has Kubernetes' end-to-end tests
# of flow control, and testdata/endtoend_test.go, which runs them. The package that they
# are copied from needs modules that cannot be had in each release.
set -euo pipefail
release=${1:?"which release of Kubernetes, such as 1.33.13?"}
cd "$(dirname "$0")/../.."
root=$PWD
module=$(sed -n 's/^module //p' pkg/apf/go.mod)
tools=${2:-$root/hack/tools/programs}
grep -q "k8s.io/kubernetes v$release\b" "$tools/go.mod" || {
  echo "$tools/go.mod does not build Kubernetes $release: name the folder of a module that does, after the release" >&2
  exit 1
}

# source_of MODULE@VERSION prints its folder in the module cache.
source_of() { go mod download -json "$1" | sed -n 's/^.*"Dir": "\(.*\)",$/\1/p'; }

folder=$root/.cache/replacement/$release
mkdir -p "$folder"
cd "$folder"
cp "$tools/go.mod" .
touch "$tools/go.sum" # not there before the first build
sort -u "$tools/go.sum" "$root/pkg/apf/go.sum" >go.sum
go mod edit -module=replacement -require="$module@v0.0.0" -replace="$module=$root/pkg/apf"
go mod edit -dropreplace=k8s.io/apiserver
rm -rf apiserver apimachinery
cp --recursive --no-preserve=mode "$(source_of "k8s.io/apiserver@v0${release#1}")" apiserver
mkdir apimachinery
cp --no-preserve=mode "$(source_of "k8s.io/kubernetes@v$release")"/test/e2e/apimachinery/{framework,flowcontrol}.go apimachinery
go mod edit -replace=k8s.io/apiserver=./apiserver

# patch FILE EXPRESSION... changes a file of the library. Each expression must do so.
patch() {
  local file=apiserver/$1
  shift
  for expression; do
    cp "$file" before
    sed -i "$expression" "$file"
    ! cmp -s before "$file" || {
      echo "$file of k8s.io/apiserver $release is not as expected: '$expression' changes nothing" >&2
      exit 1
    }
  done
  rm before
}
patch pkg/server/options/feature.go '/utilflowcontrol "k8s.io/d' 's/utilflowcontrol\.New(/newFlowControl(/'
patch pkg/util/flowcontrol/metrics/metrics.go 's/^import ($/&\n\t"os"/' \
  's/^func Register() {$/&\n\tif os.Getenv("FLOW_CONTROL_ENGINE") != "library" {\n\t\treturn\n\t}/'
patch pkg/server/options/etcd.go 's/genericregistry\.StorageWithCacher()/storageWithCache(&)/'
patch pkg/server/config.go 's/^\t\thandler = filterlatency\.TrackStarted(handler, c\.TracerProvider, "priorityandfairness")$/&\n\t\thandler = withSeating(handler, c)/'
cp "$root/test/replacement/testdata/engine.go" apiserver/pkg/server/options/
cp "$root/test/replacement/testdata/chain.go" apiserver/pkg/server/
cp "$root/test/replacement/testdata/endtoend_test.go" .
echo "$folder"
