package artifacts

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestSnapshotsAreTakenOfTheEtcdThatIsDeployed checks the CronJob: the image, the members
// and the certificates of the server, a volume of its own, and no rights at kube-apiserver.
func TestSnapshotsAreTakenOfTheEtcdThatIsDeployed(t *testing.T) {
	objects := render(t, "overlays/own-etcd")
	pod := find[batchv1.CronJob](t, objects, "CronJob", "flowcontrol-etcd-snapshot").Spec.JobTemplate.Spec.Template.Spec
	require.Len(t, pod.Containers, 1)
	container, deployed := pod.Containers[0], server(t, objects).Spec.Template.Spec.Containers[0]
	assert.Equal(t, deployed.Image, container.Image)
	etcd := slices.DeleteFunc(slices.Clone(deployed.Args), func(arg string) bool { return !strings.HasPrefix(arg, "--etcd-") })
	assert.Len(t, etcd, 4)
	assert.Subset(t, container.Args, etcd)
	assert.NotContains(t, strings.Join(deployed.Args, " "), "--etcd-prefix", "the CronJob uses the default")

	require.NotNil(t, pod.AutomountServiceAccountToken)
	assert.False(t, *pod.AutomountServiceAccountToken)
	var mounted []string
	for _, mount := range container.VolumeMounts {
		mounted = append(mounted, mount.MountPath)
		assert.Equal(t, mount.Name != "snapshots", mount.ReadOnly, mount.Name)
	}
	for _, arg := range container.Args {
		if flag, file, _ := strings.Cut(arg, "="); strings.HasPrefix(file, "/") {
			assert.True(t, slices.Contains(mounted, file) || slices.Contains(mounted, path.Dir(file)), flag)
		}
	}
	claim := pod.Volumes[0].PersistentVolumeClaim.ClaimName
	find[corev1.PersistentVolumeClaim](t, objects, "PersistentVolumeClaim", claim)
	for _, template := range find[appsv1.StatefulSet](t, objects, "StatefulSet", "flowcontrol-etcd").Spec.VolumeClaimTemplates {
		assert.False(t, strings.HasPrefix(claim, template.Name+"-"), "a volume of a member is lost with it")
	}
	// The command has these flags: help ends a command that has parsed all of them.
	code, output := harness.RunServer(t, append(container.Args, "--help")...)
	require.Zero(t, code, output)
	require.Contains(t, output, "Save a snapshot of the etcd of a running server to a new file")
}
