#!/bin/sh
# Certificates without cert-manager, with kubectl and openssl alone:
#
#   artifacts/certificates/certificates.sh [--etcd]
#
# Creates a CA and the serving certificate as Secrets in the namespace
# flowcontrol-system, and writes the CA into caBundle of the APIServices that name
# this server. --etcd also creates the certificates of the deployed etcd (overlays
# own-etcd and flow-control-off).
#
# It may be run again at any time, with the same flags: it creates what is missing,
# renews what expires within 30 days, and changes nothing else. kubectl's usual
# settings apply (KUBECONFIG); KUBECTL and OPENSSL name other programs.
set -eu

namespace=flowcontrol-system
ca=flowcontrol-apiserver-ca
ca_days=3650
days=365
renew_before=$((30 * 24 * 3600))

kubectl=${KUBECTL:-kubectl}
openssl=${OPENSSL:-openssl}

say() { printf '%s\n' "$*" >&2; }
die() { say "certificates.sh: $*"; exit 1; }

etcd=false
for argument in "$@"; do
  case $argument in
  --etcd) etcd=true ;;
  *) die "unknown argument $argument: the only flag is --etcd" ;;
  esac
done
for program in "$kubectl" "$openssl"; do
  command -v "$program" >/dev/null || die "$program is not installed, or not in PATH"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
umask 077

# field SECRET KEY: prints one decoded value, nothing if the Secret does not exist.
field() {
  $kubectl -n $namespace get secret "$1" --ignore-not-found \
    -o go-template="{{with .data}}{{with index . \"$2\"}}{{.}}{{end}}{{end}}" >"$dir/field"
  $openssl base64 -d -A <"$dir/field"
}

# lasting FILE SECONDS: reports whether the CA signed the certificate and it is valid
# for that long.
lasting() {
  $openssl x509 -in "$1" -noout -checkend "$2" >/dev/null 2>&1 &&
    $openssl verify -CAfile "$dir/ca.crt" "$1" >/dev/null 2>&1
}

new_key() { $openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

# bundled BUNDLE: reports whether the CA certificate is in a file of certificates.
bundled() {
  [ -s "$1" ] && awk -v ca="$(grep -v -e - "$dir/ca.crt" | tr -d '[:space:]')" '
    /-----BEGIN CERTIFICATE-----/ { body = ""; next }
    /-----END CERTIFICATE-----/ { if (body == ca) found = 1; next }
    { gsub(/[[:space:]]/, ""); body = body $0 }
    END { exit !found }' "$1"
}

# secret NAME CERTIFICATE KEY: stores both, and the CA certificate. A bundle that has the CA
# stays as it is: somebody adds certificates before the CA is replaced.
secret() {
  field "$1" ca.crt >"$dir/bundle.crt"
  bundled "$dir/bundle.crt" || cp "$dir/ca.crt" "$dir/bundle.crt"
  $kubectl -n $namespace create secret generic "$1" --type=kubernetes.io/tls --dry-run=client -o yaml \
    --from-file=ca.crt="$dir/bundle.crt" --from-file=tls.crt="$2" --from-file=tls.key="$3" |
    $kubectl apply --server-side --force-conflicts --field-manager=certificates.sh -f - >/dev/null
}

create_ca() {
  field $ca tls.crt >"$dir/ca.crt"
  field $ca tls.key >"$dir/ca.key"
  if [ -s "$dir/ca.crt" ] && [ -s "$dir/ca.key" ]; then
    lasting "$dir/ca.crt" $((days * 24 * 3600)) ||
      say "The CA expires within $days days. docs/certificates.md, Replace the CA of a cluster, says how to replace it" \
        "while clients go on. If you delete the Secret $ca, requests fail."
    return
  fi
  new_key "$dir/ca.key"
  cat >"$dir/ca.cnf" <<END
[req]
distinguished_name = name
x509_extensions = ca
prompt = no
[name]
CN = $ca
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
subjectKeyIdentifier = hash
END
  $openssl req -x509 -new -sha256 -key "$dir/ca.key" -days $ca_days -config "$dir/ca.cnf" -out "$dir/ca.crt"
  secret $ca "$dir/ca.crt" "$dir/ca.key"
  say "created CA: Secret $ca"
}

# certificate SECRET COMMON-NAME USAGES [SUBJECT-ALT-NAMES]
certificate() {
  field "$1" tls.crt >"$dir/old.crt"
  if lasting "$dir/old.crt" $renew_before; then
    say "Secret $1 is valid until $($openssl x509 -in "$dir/old.crt" -noout -enddate | cut -d= -f2)"
    return
  fi
  new_key "$dir/new.key"
  {
    printf 'basicConstraints = critical, CA:false\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = %s\n' "$3"
    printf 'authorityKeyIdentifier = keyid\n'
    [ -z "${4:-}" ] || printf 'subjectAltName = %s\n' "$4"
  } >"$dir/new.ext"
  printf '[req]\ndistinguished_name = name\nprompt = no\n[name]\nCN = %s\n' "$2" >"$dir/new.cnf"
  $openssl req -new -sha256 -key "$dir/new.key" -config "$dir/new.cnf" -out "$dir/new.csr"
  $openssl x509 -req -sha256 -in "$dir/new.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" \
    -set_serial "0x$($openssl rand -hex 16)" -days $days -extfile "$dir/new.ext" -out "$dir/new.crt" 2>"$dir/log" ||
    die "signing the certificate of $1: $(cat "$dir/log")"
  secret "$1" "$dir/new.crt" "$dir/new.key"
  say "created certificate, valid for $days days: Secret $1"
}

# trust fills in caBundle of the APIServices that name the Service of this server. A bundle
# that has the CA stays.
trust() {
  bundle=$($openssl base64 -A <"$dir/ca.crt")
  $kubectl get apiservices -o go-template='{{range .items}}{{$name := .metadata.name}}{{with .spec.service}}{{.namespace}}/{{.name}} {{$name}}{{"\n"}}{{end}}{{end}}' |
    sed -n "s,^$namespace/flowcontrol-apiserver ,,p" >"$dir/registered"
  while read -r name; do
    $kubectl get apiservice "$name" -o go-template='{{with .spec.caBundle}}{{.}}{{end}}' | $openssl base64 -d -A >"$dir/bundle.crt"
    if bundled "$dir/bundle.crt"; then
      continue
    fi
    $kubectl patch apiservice "$name" --type=merge -p "{\"spec\":{\"caBundle\":\"$bundle\"}}" >/dev/null
    say "set caBundle: APIService $name"
  done <"$dir/registered"
}

$kubectl get namespace $namespace >/dev/null 2>&1 || $kubectl create namespace $namespace --save-config >/dev/null
create_ca
certificate flowcontrol-apiserver-serving flowcontrol-apiserver serverAuth \
  "DNS:flowcontrol-apiserver.$namespace.svc, DNS:flowcontrol-apiserver.$namespace"
if $etcd; then
  # One name for each member: etcd resolves the names and compares addresses.
  certificate flowcontrol-etcd-tls flowcontrol-etcd "serverAuth, clientAuth" \
    "DNS:flowcontrol-etcd-0.flowcontrol-etcd.$namespace.svc, DNS:flowcontrol-etcd-1.flowcontrol-etcd.$namespace.svc, DNS:flowcontrol-etcd-2.flowcontrol-etcd.$namespace.svc, DNS:localhost, IP:127.0.0.1"
  certificate flowcontrol-apiserver-etcd-client flowcontrol-apiserver clientAuth
fi
trust
