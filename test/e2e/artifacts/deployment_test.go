package artifacts

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Package behind runs the pods: their ports, probes and mounted files.
func TestDeploymentsFitTheServerThatTheyRun(t *testing.T) {
	makefile, err := os.ReadFile(harness.Path(t, "Makefile"))
	require.NoError(t, err)
	for _, overlay := range overlays(t) {
		t.Run("artifacts/"+overlay, func(t *testing.T) {
			objects := render(t, overlay)
			deployment := server(t, objects)
			require.Len(t, deployment.Spec.Template.Spec.Containers, 1)
			container := deployment.Spec.Template.Spec.Containers[0]

			require.Contains(t, string(makefile), "\nIMAGE ?= "+container.Image+"\n", "what make image builds")
			options := parse(t, append(slices.Clone(container.Args), "--kubeconfig=the cluster's"))
			require.NotEmpty(t, options.Etcd.StorageConfig.Transport.ServerList, "without an etcd each replica has objects of its own")
			requireTimeToStop(t, deployment, options)
			budget := find[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget", deployment.Name)
			requireSelects(t, budget.Spec.Selector, deployment)
		})
	}
}

// parse parses the arguments and validates them as the server does.
func parse(t *testing.T, args []string) *app.Options {
	t.Helper()
	options := app.NewOptions()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range options.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	require.NoError(t, flags.Parse(args))
	require.Empty(t, flags.Args())
	require.Empty(t, options.Complete().Validate())
	return options
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
