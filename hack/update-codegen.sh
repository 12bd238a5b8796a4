#!/usr/bin/env bash
# Generates deepcopy, conversion and defaults beside the types, and OpenAPI,
# apply configurations, clientset, listers and informers in pkg/generated. The
# generators are pinned in hack/tools/checks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=github.com/flowcontrol-apiserver/flowcontrol-apiserver
apis=$module/pkg/apis/flowcontrol
generated=$module/pkg/generated
external=(k8s.io/api/flowcontrol/v1 k8s.io/api/flowcontrol/v1beta3)
header=hack/boilerplate.go.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd hack/tools/checks && go build -o "$work/" k8s.io/{code-generator/cmd/{applyconfiguration,client,conversion,deepcopy,defaulter,informer,lister}-gen,kube-openapi/cmd/openapi-gen})

find pkg/apis -name 'zz_generated.*.go' -delete
rm -rf pkg/generated

run() {
  echo "codegen: $1"
  local tool=$1
  shift
  "$work/$tool" --go-header-file "$header" "$@"
}

run deepcopy-gen --output-file zz_generated.deepcopy.go "$apis"
run defaulter-gen --output-file zz_generated.defaults.go "$apis/v1" "$apis/v1beta3"
run conversion-gen --output-file zz_generated.conversion.go "$apis/v1" "$apis/v1beta3"

# openapi-gen fails on violations of API rules unless it writes a report. All
# violations are in types of k8s.io.
run openapi-gen --output-dir pkg/generated/openapi --output-pkg "$generated/openapi" \
  --output-file zz_generated.openapi.go --report-filename "$work/violations" \
  "${external[@]}" k8s.io/api/authentication/v1 k8s.io/api/authorization/v1 k8s.io/apimachinery/pkg/apis/meta/v1 k8s.io/apimachinery/pkg/runtime k8s.io/apimachinery/pkg/version
cat > pkg/generated/openapi/doc.go <<'DOC'
// Package openapi holds the generated OpenAPI definitions of the types that
// this server speaks.
package openapi
DOC

go run ./hack/models-schema > "$work/schema.json"
run applyconfiguration-gen --output-dir pkg/generated/applyconfiguration --output-pkg "$generated/applyconfiguration" \
  --openapi-schema "$work/schema.json" "${external[@]}"
run client-gen --output-dir pkg/generated/clientset --output-pkg "$generated/clientset" --clientset-name versioned \
  --input-base '' --input k8s.io/api/flowcontrol/v1 --input k8s.io/api/flowcontrol/v1beta3 \
  --apply-configuration-package "$generated/applyconfiguration" --prefers-protobuf
run lister-gen --output-dir pkg/generated/listers --output-pkg "$generated/listers" "${external[@]}"
run informer-gen --output-dir pkg/generated/informers --output-pkg "$generated/informers" \
  --versioned-clientset-package "$generated/clientset/versioned" --listers-package "$generated/listers" "${external[@]}"
gofmt -w pkg/generated
