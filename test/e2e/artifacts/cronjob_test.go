package artifacts

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const cronJob = "certificates/cronjob"

// testCronJob runs what the CronJob runs, with the rights of its service account.
func testCronJob(t *testing.T, k *kubeAPIServer) {
	output, err := certificatesScript(t, k.kubeconfig)("--etcd")
	require.NoError(t, err, output)
	k.requireApplies(t, cronJob)
	objects := render(t, cronJob)
	for _, object := range objects {
		k.requireAdmitted(t, object)
	}
	job := find[batchv1.CronJob](t, objects, "CronJob", "flowcontrol-certificates").Spec.JobTemplate.Spec.Template.Spec
	require.Len(t, job.Containers, 1)
	kubeconfig := k.kubeconfigOf(t, job.ServiceAccountName)
	run := func() (string, error) {
		args := append(slices.Clone(job.Containers[0].Args), "--kubeconfig="+kubeconfig)
		output, err := exec.CommandContext(t.Context(), harness.Program(t, binaries.Server), args...).CombinedOutput()
		return string(output), err
	}

	before := secretsOf(t, k.client)
	output, err = run()
	require.NoError(t, err, output)
	require.Equal(t, versions(before), versions(secretsOf(t, k.client)), "nothing is near its end")

	replaceLeaf(t, k.client, before, "flowcontrol-apiserver-serving", time.Hour)
	replaceLeaf(t, k.client, before, "flowcontrol-etcd-tls", time.Hour)
	output, err = run()
	require.NoError(t, err, output)
	require.Contains(t, output, "Secret flowcontrol-apiserver-serving renewed")
	require.Contains(t, output, "Secret flowcontrol-etcd-tls renewed")
	require.Contains(t, output, "Secret flowcontrol-apiserver-etcd-client valid until")
	after := secretsOf(t, k.client)
	for _, name := range []string{"flowcontrol-apiserver-serving", "flowcontrol-etcd-tls"} {
		old, renewed := leaf(t, before[name]), leaf(t, after[name])
		require.Greater(t, renewed.NotAfter.Sub(renewed.NotBefore), 364*24*time.Hour)
		require.Equal(t, old.DNSNames, renewed.DNSNames)
		require.Equal(t, old.ExtKeyUsage, renewed.ExtKeyUsage)
		require.NoError(t, renewed.CheckSignatureFrom(leaf(t, before["flowcontrol-apiserver-ca"])))
	}
	// The script and the CronJob agree about what is near its end.
	output, err = certificatesScript(t, k.kubeconfig)("--etcd")
	require.NoError(t, err, output)
	require.Equal(t, versions(after), versions(secretsOf(t, k.client)))
}

// kubeconfigOf returns a kubeconfig with a token of a service account.
func (k *kubeAPIServer) kubeconfigOf(t *testing.T, serviceAccount string) string {
	t.Helper()
	token, err := k.client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), serviceAccount, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config, err := clientcmd.LoadFromFile(k.kubeconfig)
	require.NoError(t, err)
	config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}

// TestTheCronJobRunsTheImageOfTheServer: one image is built and pushed.
func TestTheCronJobRunsTheImageOfTheServer(t *testing.T) {
	job := find[batchv1.CronJob](t, render(t, cronJob), "CronJob", "flowcontrol-certificates")
	deployment := server(t, render(t, "overlays/own-etcd"))
	require.Equal(t, deployment.Spec.Template.Spec.Containers[0].Image, job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Image)
}
