#!/bin/sh
# Restores the etcd of own-etcd from a snapshot of its CronJob, the newest or FILE:
#
#   artifacts/restore-etcd.sh [FILE]
#
#   1. Stop all members.
#   2. Make the data of each member of the snapshot, by a Job of this server's image, one
#      after the other. The snapshot is verified first. Data that a member has are renamed,
#      not removed. If the first member fails, all start again as they were.
#   3. Start all members, and wait until they and the replicas of the server are ready.
#
# Writes after the snapshot are lost. Clients list again. Until the members are ready,
# requests are answered from caches, or fail. A Job mounts the volume of the snapshots and
# that of a member on one node: storage that is bound to a zone must allow that. The script
# may be run again after an interruption. kubectl's usual settings apply (KUBECONFIG);
# KUBECTL names another program.
set -eu

namespace=flowcontrol-system
set=flowcontrol-etcd
job=flowcontrol-etcd-restore
patience=${PATIENCE:-5m}
attempts=${ATTEMPTS:-300}

kubectl="${KUBECTL:-kubectl} -n $namespace"

say() { printf '%s\n' "$*" >&2; }
die() { say "restore-etcd.sh: $*"; exit 1; }

start() { $kubectl scale statefulset $set --replicas=3 >/dev/null; }

[ $# -le 1 ] || die "name one file at most"
file=${1:-}
case $file in
*[!A-Za-z0-9.-]*) die "$file is no name of a snapshot: give it without its directory" ;;
esac

container=.spec.template.spec.containers[0]
image=$($kubectl get deployment flowcontrol-apiserver -o jsonpath="{$container.image}")
arguments=$($kubectl get statefulset $set -o jsonpath="{range $container.args[*]}{@}{'\n'}{end}")
argument() { printf '%s\n' "$arguments" | grep -e "^--$1="; }
cluster=$(argument initial-cluster)
token=$(argument initial-cluster-token)
data=$(argument data-dir)
prefix=$($kubectl get deployment flowcontrol-apiserver -o jsonpath="{range $container.args[*]}{@}{'\n'}{end}" | grep -e '^--etcd-prefix=') || prefix=

for claim in data-$set-0 data-$set-1 data-$set-2 flowcontrol-etcd-snapshots; do
  $kubectl get pvc "$claim" >/dev/null || die "there is no volume $claim: nothing was changed"
done
say "stopping all members"
$kubectl scale statefulset $set --replicas=0 >/dev/null
$kubectl wait --for=delete pod -l app.kubernetes.io/name=$set --timeout="$patience" >/dev/null ||
  { start; die "the members do not stop within $patience; they are started again, and nothing was changed"; }

# restore MEMBER: makes the data of a member of the snapshot.
restore() {
  $kubectl delete job $job --ignore-not-found >/dev/null
  $kubectl create -f - >/dev/null <<END || return 1
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
        app.kubernetes.io/name: $job
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile:
          type: RuntimeDefault
      containers:
      - name: restore
        image: $image
        args:
        - etcd
        - restore-member
        - $1
        ${file:+- $file}
        - $cluster
        - $token
        - $data
        - --restored-at=$moment
        - --etcd-snapshot-dir=/snapshots
        ${prefix:+- $prefix}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
        - name: data
          mountPath: /var/lib/etcd
        - name: snapshots
          mountPath: /snapshots
          readOnly: true
      volumes:
      - name: data
        persistentVolumeClaim:
          claimName: data-$1
      - name: snapshots
        persistentVolumeClaim:
          claimName: flowcontrol-etcd-snapshots
END
  attempt=1
  while :; do
    case " $($kubectl get job $job -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') " in
    *" Complete "*) return ;;
    *" Failed "*) return 1 ;;
    esac
    [ $attempt -lt "$attempts" ] ||
      die "Job $namespace/$job does not end, and the members are stopped: see 'kubectl -n $namespace describe job $job', and run this script again"
    attempt=$((attempt + 1))
    sleep 1
  done
}

# All members continue at one revision, which follows from the time.
moment=$(date +%s)
if ! restore $set-0; then
  start
  die "the snapshot was not restored, and the members start as they were; 'kubectl -n $namespace logs job/$job' says why"
fi
say "$set-0 has the data of the snapshot"
for member in $set-1 $set-2; do
  restore $member || die "$member was not restored, and the members are stopped: 'kubectl -n $namespace logs job/$job' says why; run this script again"
  say "$member has the data of the snapshot"
done

start
$kubectl rollout status statefulset/$set --timeout="$patience" >/dev/null ||
  die "the members are not ready within $patience: see 'kubectl -n $namespace get pods' and the logs of statefulset/$set"
$kubectl rollout status deployment/flowcontrol-apiserver --timeout="$patience" >/dev/null ||
  die "the members are ready, and the replicas are not within $patience: see the logs of deployment/flowcontrol-apiserver"
say "all members and replicas are ready"
