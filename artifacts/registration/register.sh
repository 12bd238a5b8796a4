#!/bin/sh
# Registers API versions with kube-apiserver, once this server can serve them:
#
#   artifacts/registration/register.sh VERSION...
#
# VERSION is v1beta3 or v1. Before anything is registered, kube-apiserver must reach a
# ready replica, and the serving certificate must be one that the APIService will trust.
# A version that kube-apiserver then does not find available within two minutes is
# unregistered again: while a registered version is unavailable, no namespace of the
# cluster can be deleted.
#
# v1 takes the version from kube-apiserver, whose own flow control then reads its
# configuration from this server; see docs/deploy.md. overlays/return-v1 rolls back.
#
# It may be run again at any time. kubectl's usual settings apply (KUBECONFIG); KUBECTL
# and OPENSSL name other programs.
set -eu

namespace=flowcontrol-system
service=flowcontrol-apiserver
secret=flowcontrol-apiserver-serving
group=flowcontrol.apiserver.k8s.io
patience=${PATIENCE:-2m}
attempts=${ATTEMPTS:-30}

kubectl=${KUBECTL:-kubectl}
openssl=${OPENSSL:-openssl}
artifacts=$(cd "$(dirname "$0")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "register.sh: $*"; exit 1; }

[ $# -gt 0 ] || die "name the versions to register: v1beta3, or v1beta3 v1"
for version in "$@"; do
  case $version in
  v1beta3 | v1) ;;
  *) die "unknown version $version: it must be v1beta3 or v1" ;;
  esac
done
for program in "$kubectl" "$openssl"; do
  command -v "$program" >/dev/null || die "$program is not installed, or not in PATH"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
umask 077

# field KEY FILE: writes one decoded value of the Secret; nothing if it is missing.
field() {
  $kubectl -n $namespace get secret $secret --ignore-not-found \
    -o go-template="{{with .data}}{{with index . \"$1\"}}{{.}}{{end}}{{end}}" >"$dir/field"
  $openssl base64 -d -A <"$dir/field" >"$2"
}

# check_certificate: the APIService will trust ca.crt of the Secret, and expects the
# name of the Service. A server that issues its certificate, from ca.key, knows both.
check_certificate() {
  field ca.crt "$dir/ca.crt"
  field ca.key "$dir/ca.key"
  [ ! -s "$dir/ca.key" ] || return 0
  field tls.crt "$dir/tls.crt"
  [ -s "$dir/ca.crt" ] && [ -s "$dir/tls.crt" ] ||
    die "Secret $namespace/$secret is missing, or lacks ca.crt or tls.crt: the server has not issued its certificate yet (see its log), or certificates.sh or cert-manager has not made it"
  $openssl verify -CAfile "$dir/ca.crt" "$dir/tls.crt" >"$dir/log" 2>&1 ||
    die "tls.crt of Secret $namespace/$secret is not signed by its ca.crt, or has expired: $(tail -n 1 "$dir/log")"
  $openssl x509 -in "$dir/tls.crt" -noout -text | grep -q "DNS:$service.$namespace.svc\(,\|\$\)" ||
    die "tls.crt of Secret $namespace/$secret does not have the name $service.$namespace.svc, which kube-apiserver expects"
}

# check_replica: kube-apiserver reaches a replica that is ready. It learns of one a moment
# after kubelet.
check_replica() {
  attempt=1
  until $kubectl get --raw "/api/v1/namespaces/$namespace/services/https:$service:https/proxy/readyz" >"$dir/log" 2>&1; do
    [ $attempt -lt "$attempts" ] ||
      die "kube-apiserver reaches no replica that is ready: $(tail -n 1 "$dir/log"). See 'kubectl -n $namespace get pods'; the control plane must reach the pods on port 7443"
    attempt=$((attempt + 1))
    sleep 1
  done
}

# service_of VERSION: prints what serves a version: absent, local (kube-apiserver
# itself), or the namespace and name of a Service. kube-apiserver has v1 also when its
# registration is absent, as after a return that was interrupted.
service_of() {
  $kubectl get apiservice "$1.$group" --ignore-not-found \
    -o go-template='{{with .spec.service}}{{.namespace}}/{{.name}}{{else}}local{{end}}' >"$dir/service"
  [ -s "$dir/service" ] || echo absent >"$dir/service"
  if [ "$1 $(cat "$dir/service")" = "v1 absent" ] && $kubectl get --raw "/apis/$group/v1" >/dev/null 2>&1; then
    echo local >"$dir/service"
  fi
  cat "$dir/service"
}

apply() { $kubectl apply --server-side --force-conflicts --field-manager=register.sh "$@" >"$dir/log" 2>&1 || die "kubectl apply: $(cat "$dir/log")"; }

# apply_flowschemas: kube-apiserver lists v1beta3 some seconds after a replica is back, and
# until then kubectl does not know its kinds.
apply_flowschemas() {
  attempt=1
  until (apply -f "$dir/flowschemas.yaml") 2>"$dir/failure"; do
    grep -q 'no matches for kind' "$dir/failure" && [ $attempt -lt "$attempts" ] ||
      { cat "$dir/failure" >&2; exit 1; }
    attempt=$((attempt + 1))
    sleep 1
  done
}

# register VERSION
register() {
  before=$(service_of "$1")
  case $before in
  absent | "$namespace/$service") ;;
  local)
    [ "$(service_of v1beta3)" = "$namespace/$service" ] ||
      die "v1 needs the FlowSchemas of artifacts/flowschemas in this server's store, and v1beta3 is not registered: run 'register.sh v1beta3 v1'"
    # Through v1beta3: v1 still writes to kube-apiserver's store.
    $kubectl kustomize "$artifacts/flowschemas" | sed "s,^apiVersion: $group/v1\$,&beta3," >"$dir/flowschemas.yaml"
    apply_flowschemas
    ;;
  *) die "APIService $1.$group names the Service $before, not $namespace/$service: this script does not replace it. Remove it with what created it" ;;
  esac

  bundle=$($openssl base64 -A <"$dir/ca.crt")
  $kubectl patch --local -f "$artifacts/registration/$1/apiservice.yaml" --type=merge -o yaml \
    -p "{\"spec\":{\"caBundle\":\"$bundle\"}}" >"$dir/apiservice.yaml"
  apply -f "$dir/apiservice.yaml"
  if $kubectl wait --for=jsonpath='{.status.conditions[?(@.type=="Available")].reason}'=Passed \
    "apiservice/$1.$group" --timeout="$patience" >"$dir/log" 2>&1; then
    say "registered: APIService $1.$group is available"
    return
  fi
  reason=$($kubectl get apiservice "$1.$group" -o jsonpath='{.status.conditions[?(@.type=="Available")].message}')
  undo "$1" "$before" || true # $undone says so
  die "kube-apiserver did not find $1.$group available within $patience: ${reason:-$(tail -n 1 "$dir/log")}. $undone"
}

# undo VERSION BEFORE: restores what served a version before.
undo() {
  case $2 in
  absent)
    set -- delete apiservice "$1.$group"
    restored="It is not registered now"
    ;;
  local)
    set -- replace --force -k "$artifacts/overlays/return-v1"
    restored="kube-apiserver serves it again"
    ;;
  *)
    undone="It was registered before, and stays registered"
    return
    ;;
  esac
  undone="Undoing that failed: run 'kubectl $*'"
  $kubectl "$@" >/dev/null && undone=$restored
}

check_certificate
check_replica
for version in "$@"; do register "$version"; done
