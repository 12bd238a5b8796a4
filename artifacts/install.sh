#!/bin/sh
# Installs the server in a cluster, or a new release of it:
#
#   artifacts/install.sh [--cert-manager] OVERLAY [VERSION...]
#
# OVERLAY is a folder with a kustomization, such as artifacts/overlays/own-etcd or one of
# your own that sets the image. VERSION is v1beta3, the default, or v1beta3 v1.
#
#   1. Check that the Secret for etcd exists, unless the overlay has an etcd of its own.
#   2. Apply the overlay, which registers nothing, without its FlowSchemas and priority levels. With
#      --cert-manager the server gets its serving certificate from files.
#   3. Create the certificates that the server does not issue: those of an etcd in the overlay, and the
#      serving certificate of an overlay with components/certificate-files. By certificates.sh, or by
#      cert-manager.
#   4. Wait until every replica is ready.
#   5. Apply the FlowSchemas and priority levels, which kube-apiserver enforces at once.
#   6. Register the versions, by registration/register.sh.
#
# If a step fails, what was applied stays, and the message ends with the command that undoes it.
# kube-apiserver serves and enforces what it did before, until a replica can serve. The script may be
# run again at any time, also after an interruption; it changes only what differs. kubectl's usual
# settings apply (KUBECONFIG); KUBECTL and OPENSSL name other programs.
set -eu

namespace=flowcontrol-system
client=flowcontrol-apiserver-etcd-client
patience=${PATIENCE:-5m}

kubectl=${KUBECTL:-kubectl}
artifacts=$(cd "$(dirname "$0")" && pwd -P)

say() { printf '%s\n' "$*" >&2; }
die() { say "install.sh: $*"; exit 1; }

by_cert_manager=false
if [ "${1:-}" = --cert-manager ]; then
  by_cert_manager=true
  shift
fi
[ $# -gt 0 ] || die "name the overlay, such as $artifacts/overlays/own-etcd"
overlay=$1
shift
[ -d "$overlay" ] || die "$overlay is no folder: name a folder with a kustomization, such as $artifacts/overlays/own-etcd"
[ $# -gt 0 ] || set -- v1beta3
command -v "$kubectl" >/dev/null || die "$kubectl is not installed, or not in PATH"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

kustomization=$overlay
if $by_cert_manager; then # kustomize takes only relative paths
  dir=$(cd "$dir" && pwd -P)
  root=$(printf '%s' "$dir" | sed 's,/[^/]*,/..,g; s,^/,,')
  printf 'resources: ["%s"]\ncomponents: ["%s"]\n' "$root$(cd "$overlay" && pwd -P)" "$root$artifacts/components/certificate-files" >"$dir/kustomization.yaml"
  kustomization=$dir
fi
$kubectl kustomize "$kustomization" >"$dir/overlay.yaml"
awk -v dir="$dir" '
  function put() {
    if (doc != "") printf "---%s\n", doc >(dir "/" (doc ~ /\napiVersion: flowcontrol\.apiserver\.k8s\.io\// ? "enforced" : "first") ".yaml")
    doc = ""
  }
  /^---/ { put(); next }
  { doc = doc "\n" $0 }
  END { put() }' "$dir/overlay.yaml"

etcd=
if grep -q '^kind: StatefulSet' "$dir/overlay.yaml"; then etcd=-etcd; fi
[ -n "$etcd" ] || $kubectl -n $namespace get secret $client >/dev/null 2>&1 ||
  die "Secret $namespace/$client is missing, with ca.crt, tls.crt and tls.key for etcd. Nothing was changed. Create it, and run this script again:
  kubectl create namespace $namespace --save-config
  kubectl -n $namespace create secret generic $client --from-file=ca.crt=FILE --from-file=tls.crt=FILE --from-file=tls.key=FILE
With an etcd of kubeadm the files are etcd/ca.crt, apiserver-etcd-client.crt and apiserver-etcd-client.key of /etc/kubernetes/pki on a control-plane node"

undo="kubectl delete -k $overlay --ignore-not-found"
if $kubectl -n $namespace get deployment flowcontrol-apiserver >/dev/null 2>&1; then
  undo="kubectl -n $namespace rollout undo deployment/flowcontrol-apiserver"
fi
fail() { die "$1. Run this script again when the cause is removed, or undo what it has applied: $undo"; }
trap 'fail "interrupted"' HUP INT TERM

$kubectl apply -f "$dir/first.yaml" || fail "the overlay cannot be applied"
serving=
if grep -q -e '^ *- --tls-cert-file=' "$dir/overlay.yaml"; then serving=serving; fi
if $by_cert_manager; then
  $kubectl apply -k "$artifacts/certificates/cert-manager$etcd" || fail "the certificates cannot be requested"
elif [ -n "$etcd$serving" ]; then
  "$artifacts/certificates/certificates.sh" ${etcd:+etcd} $serving || fail "the certificates are missing"
fi

say "waiting until all replicas are ready"
$kubectl -n $namespace rollout status deployment/flowcontrol-apiserver --timeout="$patience" >/dev/null ||
  fail "the replicas are not ready within $patience: see 'kubectl -n $namespace get pods' and the logs of deployment/flowcontrol-apiserver. Nothing was registered"
[ ! -e "$dir/enforced.yaml" ] || $kubectl apply -f "$dir/enforced.yaml" || fail "the FlowSchemas cannot be applied. Nothing was registered"
"$artifacts/registration/register.sh" "$@" || fail "the registration failed"
