#!/bin/sh
# Makes certificates with kubectl and openssl alone:
#
#   artifacts/certificates/certificates.sh etcd|serving...
#
#   etcd      the certificates of the deployed etcd (overlays own-etcd and flow-control-off)
#   serving   the server's, for components/certificate-files; by default the server issues its own
#
# Creates a CA and the certificates as Secrets in the namespace flowcontrol-system. For "serving" it adds
# the CA to caBundle of the APIServices that name this server. Certificates are valid for ten years, and
# not longer than their CA. The script may be run again at any time: it creates what is missing or expires within a
# year, and changes nothing else. kubectl's usual settings apply (KUBECONFIG); KUBECTL and OPENSSL name
# other programs.
set -eu

namespace=flowcontrol-system
ca=flowcontrol-apiserver-ca
days=3650
renew_before=$((365 * 24 * 3600))

kubectl=${KUBECTL:-kubectl}
openssl=${OPENSSL:-openssl}

say() { printf '%s\n' "$*" >&2; }
die() { say "certificates.sh: $*"; exit 1; }

[ $# -gt 0 ] || die "name what to make: etcd, serving, or both"
for purpose in "$@"; do
  case $purpose in
  etcd | serving) ;;
  *) die "unknown argument $purpose: it must be etcd or serving" ;;
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

# lasting FILE: reports whether the CA signed the certificate and it need not be renewed.
lasting() {
  $openssl x509 -in "$1" -noout -checkend $renew_before >/dev/null 2>&1 &&
    $openssl verify -CAfile "$dir/ca.crt" "$1" >/dev/null 2>&1
}

# bundle FILE: adds the CA certificate to a file of certificates that lacks it, and reports whether it did.
bundle() {
  case $(tr -d '[:space:]' <"$1") in
  *"$(grep -v -e - "$dir/ca.crt" | tr -d '[:space:]')"*) return 1 ;;
  esac
  cat "$dir/ca.crt" >>"$1"
}

# secret NAME CERTIFICATE KEY: stores both, and a bundle with the CA certificate. Clients still trust
# what else the bundle has.
secret() {
  field "$1" ca.crt >"$dir/bundle.crt"
  bundle "$dir/bundle.crt" || true
  type=$($kubectl -n $namespace get secret "$1" --ignore-not-found -o jsonpath='{.type}') # which cannot change
  $kubectl -n $namespace create secret generic "$1" --type="${type:-kubernetes.io/tls}" --dry-run=client -o yaml \
    --from-file=ca.crt="$dir/bundle.crt" --from-file=tls.crt="$2" --from-file=tls.key="$3" |
    $kubectl apply --server-side --force-conflicts --field-manager=certificates.sh -f - >/dev/null
}

create_ca() {
  field $ca tls.crt >"$dir/ca.crt"
  field $ca tls.key >"$dir/ca.key"
  if [ -s "$dir/ca.crt" ] && [ -s "$dir/ca.key" ]; then
    lasting "$dir/ca.crt" ||
      say "The CA expires within a year. docs/certificates.md, Replace the CA of a cluster, says how to replace it" \
        "while clients go on. If you delete the Secret $ca, requests fail."
    return
  fi
  cat >"$dir/ca.cnf" <<END
[req]
distinguished_name = name
x509_extensions = ca
[name]
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
subjectKeyIdentifier = hash
END
  $openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 -days $((days + 10)) -subj /CN=$ca \
    -config "$dir/ca.cnf" -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>"$dir/log" || die "creating the CA: $(cat "$dir/log")"
  secret $ca "$dir/ca.crt" "$dir/ca.key"
  say "created CA: Secret $ca"
}

# certificate SECRET COMMON-NAME USAGES [SUBJECT-ALT-NAMES]
certificate() {
  field "$1" tls.crt >"$dir/old.crt"
  if lasting "$dir/old.crt"; then
    say "Secret $1 is valid until $($openssl x509 -in "$dir/old.crt" -noout -enddate | cut -d= -f2)"
    return
  fi
  left=$days # until the end of the CA at most
  until $openssl x509 -in "$dir/ca.crt" -noout -checkend $((left * 24 * 3600)) >/dev/null || [ $left -le 1 ]; do left=$((left * 3 / 4)); done
  {
    printf 'basicConstraints = critical, CA:false\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = %s\n' "$3"
    printf 'authorityKeyIdentifier = keyid\n'
    [ -z "${4:-}" ] || printf 'subjectAltName = %s\n' "$4"
  } >"$dir/new.ext"
  { $openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 -subj "/CN=$2" -keyout "$dir/new.key" -out "$dir/new.csr" &&
    $openssl x509 -req -sha256 -in "$dir/new.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" \
      -set_serial "0x$($openssl rand -hex 16)" -days $left -extfile "$dir/new.ext" -out "$dir/new.crt"; } 2>"$dir/log" ||
    die "signing the certificate of $1: $(cat "$dir/log")"
  secret "$1" "$dir/new.crt" "$dir/new.key"
  say "created certificate, valid for $left days: Secret $1"
}

# trust adds the CA to caBundle of the APIServices that name the Service of this server.
trust() {
  $kubectl get apiservices -o go-template='{{range .items}}{{$name := .metadata.name}}{{with .spec.service}}{{.namespace}}/{{.name}} {{$name}}{{"\n"}}{{end}}{{end}}' |
    sed -n "s,^$namespace/flowcontrol-apiserver ,,p" >"$dir/registered"
  while read -r name; do
    $kubectl get apiservice "$name" -o go-template='{{with .spec.caBundle}}{{.}}{{end}}' | $openssl base64 -d -A >"$dir/bundle.crt"
    bundle "$dir/bundle.crt" || continue
    $kubectl patch apiservice "$name" --type=merge -p "{\"spec\":{\"caBundle\":\"$($openssl base64 -A <"$dir/bundle.crt")\"}}" >/dev/null
    say "added the CA to caBundle: APIService $name"
  done <"$dir/registered"
}

$kubectl get namespace $namespace >/dev/null 2>&1 || $kubectl create namespace $namespace --save-config >/dev/null
create_ca
for purpose in "$@"; do
  case $purpose in
  etcd)
    # One name for each member: etcd resolves the names and compares addresses.
    certificate flowcontrol-etcd-tls flowcontrol-etcd "serverAuth, clientAuth" \
      "DNS:flowcontrol-etcd-0.flowcontrol-etcd.$namespace.svc, DNS:flowcontrol-etcd-1.flowcontrol-etcd.$namespace.svc, DNS:flowcontrol-etcd-2.flowcontrol-etcd.$namespace.svc, DNS:localhost, IP:127.0.0.1"
    certificate flowcontrol-apiserver-etcd-client flowcontrol-apiserver clientAuth
    ;;
  serving)
    certificate flowcontrol-apiserver-serving flowcontrol-apiserver serverAuth \
      "DNS:flowcontrol-apiserver.$namespace.svc, DNS:flowcontrol-apiserver.$namespace"
    trust
    ;;
  esac
done
