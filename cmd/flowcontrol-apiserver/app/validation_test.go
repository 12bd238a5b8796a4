package app

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestAPodWithAnEtcdDelegatesToItsCluster(t *testing.T) {
	for local, args := range map[bool][]string{true: nil, false: {"--etcd-servers=http://127.0.0.1:2379"}} {
		options := parseFlags(t, args...)
		options.Identity.InCluster = func() (*rest.Config, error) { return &rest.Config{Host: "https://pod"}, nil }
		require.Equal(t, local, options.Complete().LocalIdentity, args)
	}
}

func TestWhereObjectsAreAndWhoSaysWhoUsersAreAreTwoChoices(t *testing.T) {
	const etcd, kubeconfig = "--etcd-servers=http://127.0.0.1:2379", "--kubeconfig=file"
	for _, test := range []struct {
		name                               string
		args                               []string
		embeddedEtcd, local, usesDirectory bool
	}{
		{"no flags: all is in the data directory", nil, true, true, true},
		{"an etcd: certificates alone are in the data directory", []string{etcd}, false, true, true},
		{"a kube-apiserver: the store alone is in the data directory", []string{kubeconfig}, true, false, true},
		{"both: there is no data directory", []string{etcd, kubeconfig}, false, false, false},
		{"a token file is the server's own", []string{etcd, "--token-auth-file=file"}, false, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			completed := parseFlags(t, test.args...).Complete()
			require.Equal(t, test.embeddedEtcd, completed.EmbeddedEtcd)
			require.Equal(t, test.local, completed.LocalIdentity)
			require.Equal(t, !test.embeddedEtcd, completed.Identity.InClusterAllowed, "a pod without any option runs alone")
			completed.DataDir = ""
			require.Equal(t, test.usesDirectory, len(completed.Validate()) > 0, "a data directory is needed")
			completed.DataDir = t.TempDir()
			require.Empty(t, completed.Validate())
			for _, plugin := range completed.Admission.RecommendedPluginOrder {
				require.Equal(t, test.local, completed.Admission.DefaultOffPlugins.Has(plugin), "admission is the cluster's: %s", plugin)
			}
		})
	}
}

func TestFlagsThatMakeSenseAreAccepted(t *testing.T) {
	const etcd = "--etcd-servers=https://127.0.0.1:2379"
	for name, args := range map[string][]string{
		"an etcd with TLS":                         {etcd, "--etcd-cafile=a", "--etcd-certfile=b", "--etcd-keyfile=c"},
		"an etcd with its authority alone":         {etcd, "--etcd-cafile=a"},
		"no flow control and no seats":             {"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0"},
		"a total of one seat that adapts":          {"--max-requests-inflight=1", "--max-mutating-requests-inflight=0", "--flow-control-total=adaptive"},
		"bounds of the total":                      {"--flow-control-total=adaptive", "--flow-control-total-min=1", "--flow-control-total-max=60000"},
		"lists that cost by the number of objects": {"--list-cost=count"},
		"lists that cost by size":                  {"--list-cost=size"},
		"service accounts of a namespace as one":   {"--flow-control-tenants=service-account-namespaces"},
		"no flow control and bounds of the total":  {"--enable-priority-and-fairness=false", "--flow-control-total-min=5000"},
		"seats of one kind alone":                  {"--max-requests-inflight=0"},
		"v1beta3 switched off":                     {"--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=false"},
		"self-reviews switched off":                {"--runtime-config=authentication.k8s.io/v1=false,authorization.k8s.io/v1/selfsubjectrulesreviews=false"},
		"v1 switched on":                           {"--runtime-config=flowcontrol.apiserver.k8s.io/v1=true"},
		"admission of the cluster in front":        {"--kubeconfig=file", "--enable-admission-plugins=MutatingAdmissionWebhook"},
		"no data directory, as none is needed":     {etcd, "--kubeconfig=file", "--data-dir="},
		"suites without HTTP/2's in TLS 1.3":       {"--tls-min-version=VersionTLS13", "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
		"suites without HTTP/2's in HTTP/1.1":      {"--disable-http2-serving", "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
		"a certificate that the server issues":     {"--kubeconfig=file", "--tls-self-issued-service=flowcontrol-system/flowcontrol-apiserver"},
		"a certificate of one's own with its key":  {"--tls-cert-file=a", "--tls-private-key-file=b"},
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, parseFlags(t, args...).Complete().Validate()) })
	}
}

func TestFlagsThatContradictAreRejectedWithAWayOut(t *testing.T) {
	const etcd = "--etcd-servers=https://127.0.0.1:2379"
	for _, test := range []struct {
		name string
		args []string
		says []string
	}{
		{"no data directory where one is needed", []string{"--data-dir="}, []string{"--data-dir must name a directory"}},
		{"an authority of an etcd that is not named", []string{"--etcd-cafile=a"}, []string{"--etcd-cafile", "--etcd-servers"}},
		{"a key for an etcd that is not named", []string{"--etcd-keyfile=a"}, []string{"--etcd-keyfile", "--etcd-servers"}},
		{"a certificate for etcd without its key", []string{etcd, "--etcd-certfile=a"}, []string{"--etcd-certfile and --etcd-keyfile belong together"}},
		{"a key for etcd without its certificate", []string{etcd, "--etcd-keyfile=a"}, []string{"--etcd-certfile and --etcd-keyfile belong together"}},
		{"a serving certificate without its key", []string{"--tls-cert-file=a"}, []string{"--tls-cert-file and --tls-private-key-file belong together"}},
		{"a serving key without its certificate", []string{"--tls-private-key-file=a"}, []string{"--tls-cert-file and --tls-private-key-file belong together"}},
		{"no seats for flow control to share", []string{"--max-requests-inflight=0", "--max-mutating-requests-inflight=0"}, []string{"--enable-priority-and-fairness=false"}},
		{"a mode of the total that does not exist", []string{"--flow-control-total=auto"}, []string{"--flow-control-total=auto: must be one of static, monitor, adaptive"}},
		{"a minimum of the total below one seat", []string{"--flow-control-total-min=-1"}, []string{"--flow-control-total-min=-1: must be at least 1"}},
		{"a minimum of the total above its start", []string{"--flow-control-total-min=601"}, []string{"--flow-control-total-min=601: must not be more than the static total, 600"}},
		{"a maximum of the total below its minimum", []string{"--flow-control-total-min=500", "--flow-control-total-max=400"}, []string{"--flow-control-total-max=400: must not be less than the minimum, 500"}},
		{"a maximum of the total below its start", []string{"--flow-control-total-max=100"}, []string{"--flow-control-total-max=100: must not be less than the static total, 600"}},
		{"a cost of lists that does not exist", []string{"--list-cost=seize"}, []string{"--list-cost=seize must be one of count, size, learned"}},
		{"no cost of lists", []string{"--list-cost="}, []string{"--list-cost= must be one of count, size, learned"}},
		{"tenants that do not exist", []string{"--flow-control-tenants=namespaces"}, []string{"--flow-control-tenants=namespaces must be one of none, service-account-namespaces"}},
		{"no tenants named", []string{"--flow-control-tenants="}, []string{"--flow-control-tenants= must be one of none, service-account-namespaces"}},
		{"v1 switched off", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v1=false"}, []string{"flowcontrol.apiserver.k8s.io/v1=false is not possible"}},
		{"v1 switched off in other words", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v1=0"}, []string{"is not possible"}},
		{"a resource of v1 switched off", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v1/flowschemas=false"}, []string{"flowcontrol.apiserver.k8s.io/v1/flowschemas=false is not possible"}},
		{"the watch cache of a resource of another server", []string{"--watch-cache-sizes=pods#100"}, []string{"--watch-cache-sizes: pods is not stored by this server: name flowschemas.flowcontrol.apiserver.k8s.io"}},
		{"all switched off", []string{"--runtime-config=api/all=false"}, []string{"api/all=false is not possible"}},
		{"all that is stable switched off", []string{"--runtime-config=api/ga=false"}, []string{"api/ga=false is not possible"}},
		{"self-reviews switched off where a kube-apiserver serves them", []string{"--kubeconfig=file", "--runtime-config=authentication.k8s.io/v1=false"}, []string{"unknown api groups authentication.k8s.io"}},
		{"admission without a cluster", []string{"--enable-admission-plugins=MutatingAdmissionWebhook"}, []string{"MutatingAdmissionWebhook", "--kubeconfig"}},
		{"admission configuration without a cluster", []string{"--admission-control-config-file=file"}, []string{"--admission-control-config-file=file", "there is none: set --kubeconfig too, or remove"}},
		{"a Service without its namespace", []string{"--kubeconfig=file", "--tls-self-issued-service=a"}, []string{"--tls-self-issued-service=a must be the NAMESPACE/NAME of a Service"}},
		{"a Service that cannot exist", []string{"--kubeconfig=file", "--tls-self-issued-service=a/b/c"}, []string{"--tls-self-issued-service=a/b/c must be the NAMESPACE/NAME of a Service"}},
		{"two serving certificates", []string{"--kubeconfig=file", "--tls-self-issued-service=a/b", "--tls-cert-file=c", "--tls-private-key-file=d"},
			[]string{"--tls-self-issued-service=a/b and --tls-cert-file", "remove --tls-self-issued-service to serve the one in files"}},
		{"two serving certificates, one in a directory", []string{"--kubeconfig=file", "--tls-self-issued-service=a/b", "--cert-dir=c"}, []string{"--cert-dir name two serving certificates"}},
		{"two mistakes at once", []string{"--tls-cert-file=a", "--etcd-cafile=b"}, []string{"--tls-cert-file", "--etcd-cafile"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := errors.Join(parseFlags(t, test.args...).Complete().Validate()...)
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
}
