#!/bin/sh
# Installs the server in a cluster, or a new release of it:
#
#   artifacts/install.sh [--cert-manager] OVERLAY [VERSION...]
#
# OVERLAY is a folder with a kustomization, such as artifacts/overlays/own-etcd or one of
# your own that sets the image. VERSION is v1beta3, the default, or v1beta3 v1.
#
#   1. Apply the overlay, which registers nothing.
#   2. Create or renew the certificates, by certificates.sh, or by cert-manager.
#   3. Wait until every replica is ready.
#   4. Register the versions, by registration/register.sh.
#
# So the cluster is as it was until a replica can serve. The script may be run again at
# any time, also after an interruption; it changes only what differs. kubectl's usual
# settings apply (KUBECONFIG); KUBECTL and OPENSSL name other programs.
set -eu

namespace=flowcontrol-system
client=flowcontrol-apiserver-etcd-client
patience=${PATIENCE:-5m}

kubectl=${KUBECTL:-kubectl}
artifacts=$(cd "$(dirname "$0")" && pwd)

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

$kubectl apply -k "$overlay"

etcd=
if $kubectl -n $namespace get statefulset flowcontrol-etcd >/dev/null 2>&1; then etcd=-etcd; fi
if $by_cert_manager; then
  $kubectl apply -k "$artifacts/certificates/cert-manager$etcd"
else
  "$artifacts/certificates/certificates.sh" ${etcd:+-$etcd}
fi
[ -n "$etcd" ] || $kubectl -n $namespace get secret $client >/dev/null 2>&1 ||
  die "Secret $namespace/$client is missing, with ca.crt, tls.crt and tls.key for etcd: create it, and run this script again. Nothing is registered"

say "waiting until all replicas are ready"
$kubectl -n $namespace rollout status deployment/flowcontrol-apiserver --timeout="$patience" >/dev/null ||
  die "the replicas are not ready within $patience: see 'kubectl -n $namespace get pods' and the logs of deployment/flowcontrol-apiserver. Run this script again when the cause is removed. Nothing was registered"
"$artifacts/registration/register.sh" "$@"
