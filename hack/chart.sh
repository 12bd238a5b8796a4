#!/usr/bin/env bash
# Makes what artifacts/ has of other files in it, and git does not:
#
#   hack/chart.sh [FOLDER]
#
#   FOLDER/monitoring/prometheusrule.yaml   rules.yaml, for the Prometheus Operator
#   FOLDER/chart/files/*.yaml               the kustomizations, for Helm
#
# FOLDER is artifacts/ or a copy of it. KUBECTL names another kubectl than the one of hack/tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath "${1:-artifacts}")
scratch=$(mktemp -d "$folder/.chart-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
if [[ -z ${KUBECTL:-} ]]; then
  KUBECTL=$scratch/kubectl
  (cd hack/tools/programs && go build -buildvcs=false -o "$KUBECTL" k8s.io/kubernetes/cmd/kubectl)
fi

# made FILE writes standard input to a file of the folder, at once.
made() {
  mkdir -p "$(dirname "$folder/$1")"
  cat >"$scratch/made"
  mv "$scratch/made" "$folder/$1"
}

{
  cat <<END
# rules.yaml for the Prometheus Operator, made by hack/chart.sh.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  labels:
    app.kubernetes.io/name: flowcontrol-apiserver
    app.kubernetes.io/part-of: flowcontrol-apiserver
  name: flowcontrol-apiserver
  namespace: flowcontrol-system
spec:
END
  sed -n '/^groups:/,$s/^/  /p' "$folder/monitoring/rules.yaml"
} | made monitoring/prometheusrule.yaml

while read -r name kustomization; do
  "$KUBECTL" kustomize "$folder/$kustomization" | made "chart/files/$name.yaml"
done <<END
cert-manager certificates/cert-manager
cert-manager-etcd certificates/cert-manager-etcd
monitoring monitoring
registration registration/v1beta3
END
# The server with the certificate that it issues, and with files.
while read -r name overlay; do
  "$KUBECTL" kustomize "$folder/$overlay" | made "chart/files/$name.yaml"
  mkdir "$scratch/$name"
  printf 'resources: [../../%s]\ncomponents: [../../components/certificate-files]\n' "$overlay" >"$scratch/$name/kustomization.yaml"
  "$KUBECTL" kustomize "$scratch/$name" | made "chart/files/$name-files.yaml"
done <<END
own-etcd overlays/own-etcd
external-etcd overlays/external-etcd
kubeadm-etcd overlays/v1beta3-beside
END
