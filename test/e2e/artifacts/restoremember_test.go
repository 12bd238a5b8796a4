package artifacts

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// restoreJob returns the Job of docs/backup.md that restores a member of own-etcd.
func restoreJob(t *testing.T, member string) (object *unstructured.Unstructured, job batchv1.Job) {
	t.Helper()
	manifest, err := os.ReadFile(harness.Path(t, "docs/samples/restore-member.yaml"))
	require.NoError(t, err)
	text := []byte(strings.NewReplacer("MEMBER", member, "SNAPSHOT", "snapshot.db", "BUMP", "1000000000").Replace(string(manifest)))
	require.NoError(t, yaml.UnmarshalStrict(text, &job))
	object = &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(text, object))
	return object, job
}

// TestPageRestoresAMemberWithItsOwnFlags: a member whose flags differ from its data does not start.
func TestPageRestoresAMemberWithItsOwnFlags(t *testing.T) {
	const member = "flowcontrol-etcd-0"
	_, job := restoreJob(t, member)
	etcd := find[appsv1.StatefulSet](t, render(t, "overlays/own-etcd"), "StatefulSet", "flowcontrol-etcd").Spec.Template.Spec.Containers[0]
	restore := job.Spec.Template.Spec.Containers[0]
	require.Equal(t, etcd.Image, restore.Image)
	var own []string
	for _, argument := range etcd.Args {
		name, _, _ := strings.Cut(argument, "=")
		if slices.Contains([]string{"--name", "--data-dir", "--initial-advertise-peer-urls", "--initial-cluster", "--initial-cluster-token"}, name) {
			own = append(own, strings.ReplaceAll(argument, "$(POD_NAME)", member))
		}
	}
	require.Len(t, own, 5)
	require.Subset(t, restore.Args, own)
	require.Equal(t, "data-"+member, job.Spec.Template.Spec.Volumes[0].PersistentVolumeClaim.ClaimName)
}
