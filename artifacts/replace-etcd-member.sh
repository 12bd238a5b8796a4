#!/bin/sh
# Brings a member of the etcd of own-etcd back that lost its volume, or whose data cannot
# be read:
#
#   artifacts/replace-etcd-member.sh flowcontrol-etcd-1
#
#   1. Remove the member from etcd, which knows it by an ID that is lost, and add it
#      again, by a Job of this server's image. A member that answers is not replaced, and
#      none is while the others have no quorum.
#   2. Give it an empty volume. It gets all data from the others.
#   3. Wait until it is ready.
#
# Until it is ready, do not stop another member: two of three are the quorum. The script
# may be run again after an interruption. kubectl's usual settings apply (KUBECONFIG);
# KUBECTL names another program.
set -eu

namespace=flowcontrol-system
set=flowcontrol-etcd
job=flowcontrol-etcd-replace-member
patience=${PATIENCE:-5m}
attempts=${ATTEMPTS:-300}

kubectl="${KUBECTL:-kubectl} -n $namespace"

say() { printf '%s\n' "$*" >&2; }
die() { say "replace-etcd-member.sh: $*"; exit 1; }

# rolling lets the StatefulSet replace pods again; only while all members are ready, or it
# stops another one.
rolling() { $kubectl patch statefulset $set --type=merge -p '{"spec":{"updateStrategy":{"type":"RollingUpdate"}}}' >/dev/null; }

[ $# = 1 ] || die "name one member, such as $set-1"
member=$1
case $member in
"$set"-[0-9]) ;;
*) die "$member is no member of StatefulSet $namespace/$set: name one as $set-1" ;;
esac

container=.spec.template.spec.containers[0]
image=$($kubectl get deployment flowcontrol-apiserver -o jsonpath="{$container.image}")
servers=$($kubectl get deployment flowcontrol-apiserver -o jsonpath="{range $container.args[*]}{@}{'\n'}{end}" | grep '^--etcd-servers=')

$kubectl delete job $job --ignore-not-found >/dev/null
$kubectl create -f - >/dev/null <<EOF
apiVersion: batch/v1
kind: Job
metadata:
  name: $job
spec:
  backoffLimit: 0
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels:
        # The NetworkPolicy of etcd lets this in.
        app.kubernetes.io/name: flowcontrol-etcd-maintenance
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
      - name: replace-member
        image: $image
        args:
        - etcd
        - replace-member
        - $member
        - $servers
        - --etcd-cafile=/etc/flowcontrol-apiserver/etcd/ca.crt
        - --etcd-certfile=/etc/flowcontrol-apiserver/etcd/tls.crt
        - --etcd-keyfile=/etc/flowcontrol-apiserver/etcd/tls.key
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
        - name: etcd-client
          mountPath: /etc/flowcontrol-apiserver/etcd
          readOnly: true
      volumes:
      - name: etcd-client
        secret:
          secretName: flowcontrol-apiserver-etcd-client
          defaultMode: 0440
EOF
attempt=1
while :; do
  case " $($kubectl get job $job -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') " in
  *" Complete "*) break ;;
  *" Failed "*)
    # An earlier run may have been interrupted after its member was ready.
    [ "$($kubectl get statefulset $set -o 'jsonpath={.status.readyReplicas}')" != 3 ] || rolling
    die "$member was not replaced; 'kubectl -n $namespace logs job/$job' says why"
    ;;
  esac
  [ $attempt -lt "$attempts" ] ||
    die "Job $namespace/$job does not end: see 'kubectl -n $namespace describe job $job'. Nothing was changed, or the member was only removed: run this script again"
  attempt=$((attempt + 1))
  sleep 1
done

# The others keep their pods until the member is ready.
arguments=$($kubectl get statefulset $set -o jsonpath="{$container.args}")
$kubectl patch statefulset $set --type=merge -p '{"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}' >/dev/null
case $arguments in
*--initial-cluster-state=existing*) ;;
*) $kubectl patch statefulset $set --type=json -p '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--initial-cluster-state=existing"}]' >/dev/null ;;
esac
$kubectl delete pvc "data-$member" --ignore-not-found --wait=false >/dev/null
$kubectl delete pod "$member" --ignore-not-found >/dev/null
say "$member starts with an empty volume"
attempt=1
until $kubectl get pod "$member" >/dev/null 2>&1; do
  [ $attempt -lt "$attempts" ] || die "$member is not created again: see 'kubectl -n $namespace describe statefulset $set'"
  attempt=$((attempt + 1))
  sleep 1
done
$kubectl wait --for=condition=Ready "pod/$member" --timeout="$patience" >/dev/null ||
  die "$member is not ready within $patience: see 'kubectl -n $namespace logs $member'"
rolling
say "$member is ready, and has the data of the others"
