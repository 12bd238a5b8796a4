package artifacts

import (
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func TestDeploymentsFitTheServerThatTheyRun(t *testing.T) {
	running := harness.StartServer(t, harness.ServerOptions{})
	makefile, err := os.ReadFile(folder(t, "../Makefile"))
	require.NoError(t, err)
	for _, overlay := range overlays(t) {
		t.Run("artifacts/"+overlay, func(t *testing.T) {
			objects := render(t, overlay)
			deployment := server(t, objects)
			require.Len(t, deployment.Spec.Template.Spec.Containers, 1)
			container := deployment.Spec.Template.Spec.Containers[0]

			require.Contains(t, string(makefile), "\nIMAGE ?= "+container.Image+"\n", "what make image builds")
			options := parse(t, container.Args)
			requirePort(t, deployment, find[corev1.Service](t, objects, "Service", deployment.Name), options)
			requireFilesMounted(t, deployment, container.Args)
			requireTimeToStop(t, deployment, options)
			budget := find[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget", deployment.Name)
			requireSelects(t, budget.Spec.Selector, deployment)
			for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
				requireAnswered(t, probe, container, running)
			}
		})
	}
}

// parse parses the arguments and validates them as the server does. In a pod, the kube-apiserver is
// the cluster's.
func parse(t *testing.T, args []string) *app.Options {
	t.Helper()
	options := app.NewOptions()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range options.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	require.NoError(t, flags.Parse(append(slices.Clone(args), "--kubeconfig=the cluster's")))
	require.Empty(t, flags.Args())
	require.Empty(t, options.Complete().Validate())
	require.NotEmpty(t, options.Etcd.StorageConfig.Transport.ServerList, "without an etcd each replica has objects of its own")
	return options
}

func requirePort(t *testing.T, deployment *appsv1.Deployment, service *corev1.Service, options *app.Options) {
	t.Helper()
	requireSelects(t, metav1.SetAsLabelSelector(service.Spec.Selector), deployment)
	require.Len(t, service.Spec.Ports, 1)
	require.EqualValues(t, 443, service.Spec.Ports[0].Port)
	port := namedPort(t, deployment.Spec.Template.Spec.Containers[0], service.Spec.Ports[0].TargetPort.StrVal)
	require.EqualValues(t, options.SecureServing.BindPort, port)
	require.True(t, options.SecureServing.BindAddress.IsUnspecified(), "reached from outside the pod")
}

func namedPort(t *testing.T, container corev1.Container, name string) int32 {
	t.Helper()
	for _, port := range container.Ports {
		if port.Name == name {
			return port.ContainerPort
		}
	}
	require.Fail(t, "no such port", name)
	return 0
}

// requireFilesMounted checks that the files named by flags are keys of mounted
// Secrets.
func requireFilesMounted(t *testing.T, deployment *appsv1.Deployment, args []string) {
	t.Helper()
	var mounts []string
	for _, mount := range deployment.Spec.Template.Spec.Containers[0].VolumeMounts {
		mounts = append(mounts, mount.MountPath)
		require.True(t, mount.ReadOnly, mount.Name)
	}
	named := 0
	for _, arg := range args {
		if flag, file, _ := strings.Cut(arg, "="); strings.HasPrefix(file, "/etc/") {
			named++
			assert.Contains(t, mounts, path.Dir(file), flag)
			assert.Contains(t, []string{"ca.crt", corev1.TLSCertKey, corev1.TLSPrivateKeyKey}, path.Base(file), flag)
		}
	}
	require.Equal(t, 5, named)
}

// requireTimeToStop checks that the grace period of a pod covers a graceful stop.
func requireTimeToStop(t *testing.T, deployment *appsv1.Deployment, options *app.Options) {
	t.Helper()
	run := options.Run
	require.NotZero(t, run.ShutdownDelayDuration)
	longest := run.ShutdownDelayDuration + run.RequestTimeout + run.ShutdownWatchTerminationGracePeriod
	grace := time.Duration(*deployment.Spec.Template.Spec.TerminationGracePeriodSeconds) * time.Second
	require.Greater(t, grace, longest)
}

func requireSelects(t *testing.T, selector *metav1.LabelSelector, deployment *appsv1.Deployment) {
	t.Helper()
	selects, err := metav1.LabelSelectorAsSelector(selector)
	require.NoError(t, err)
	require.False(t, selects.Empty())
	require.True(t, selects.Matches(labels.Set(deployment.Spec.Template.Labels)), selects)
	// The pods of etcd are in the same namespace.
	require.False(t, selects.Matches(labels.Set{"app.kubernetes.io/name": "flowcontrol-etcd", "app.kubernetes.io/part-of": "flowcontrol-apiserver"}))
}

// requireAnswered sends a probe to a server as kubelet does: without verification
// of the certificate and without credentials.
func requireAnswered(t *testing.T, probe *corev1.Probe, container corev1.Container, running *harness.Server) {
	t.Helper()
	require.NotNil(t, probe)
	require.NotNil(t, probe.HTTPGet)
	namedPort(t, container, probe.HTTPGet.Port.StrVal)
	client, err := rest.HTTPClientFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	require.NoError(t, err)
	url := strings.ToLower(string(probe.HTTPGet.Scheme)) + "://127.0.0.1:" + strconv.Itoa(running.Port) + probe.HTTPGet.Path
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, url)
}
