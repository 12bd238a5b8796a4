package main

import (
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// server is an API server that another project maintains.
type server struct {
	name, source string // below test/adoption; module@version
	// about says what its requests wait for.
	about string
	// version is the registered API.
	version schema.GroupVersion
	// rules are the permissions of its manifests, beside those to delegate authentication
	// and authorization.
	rules []rbacv1.PolicyRule
	// seats is the total of pkg/apf, and backend what the requests need. The library gets as
	// many seats as the backend has places: its levels may borrow nearly all of them.
	seats   int
	backend traffic.Backend
	// off switches the library's flow control off in the program plain.
	off []string
	// library are the arguments of the program library, which is plain if there is none of
	// that name; the default sets a total of seats.
	library []string
	// miceIn is the namespace of the mice; empty: the elephant's.
	miceIn string
	// mouse and elephant are the paths of the requests.
	mouse, elephant string
	// prepare makes what the server needs and sets the arguments of its programs.
	prepare func(*site)
	// fill makes what is read, through the running server.
	fill func(*site)
}

// slow is a backend with 16 places, such as a monitoring system that evaluates 16 queries
// at once, or an etcd whose disk is slow.
func slow() traffic.Backend { return traffic.Backend{Places: 16, Takes: 100 * time.Millisecond} }

// admission are the permissions of admission plugins that RecommendedOptions switch on.
func admission() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{"admissionregistration.k8s.io"}, Resources: []string{
			"mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
			"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
		}, Verbs: []string{"get", "list", "watch"}},
	}
}

// newer is a flag for servers of 1.37. This plugin reads a version that kube-apiserver 1.33
// does not serve.
const newer = "--disable-admission-plugins=MutatingAdmissionPolicy"

func off() []string { return []string{"--enable-priority-and-fairness=false"} }

func servers() []server {
	external := schema.GroupVersion{Group: "external.metrics.k8s.io", Version: "v1beta1"}
	metric := fmt.Sprintf("/apis/%s/namespaces/%s/my-external-metric?labelSelector=foo%%3Dbar", external, namespace)
	custom := "/apis/adoption.example.com/v1/namespaces/" + namespace + "/things/"
	scaled := fmt.Sprintf("/apis/%s/namespaces/%s/s0-queue?labelSelector=scaledobject.keda.sh%%2Fname%%3D", external, namespace)
	return []server{
		{
			name: "metrics-server", source: "sigs.k8s.io/metrics-server@v0.8.0", version: schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"},
			about: "It answers from memory, so the processors are the bottleneck. The elephant lists the metrics of 2,000 pods, a mouse lists the metrics of 10. " +
				"The mice are service accounts of kube-system, as the autoscaler is, and so have a level of their own.",
			miceIn: metav1.NamespaceSystem,
			rules: []rbacv1.PolicyRule{
				{APIGroups: []string{""}, Resources: []string{"nodes/metrics"}, Verbs: []string{"get"}},
				{APIGroups: []string{""}, Resources: []string{"pods", "nodes"}, Verbs: []string{"get", "list", "watch"}},
			},
			library: []string{"--max-requests-inflight=2", "--max-mutating-requests-inflight=0"},
			seats:   1, mouse: "/apis/metrics.k8s.io/v1beta1/namespaces/small/pods", elephant: "/apis/metrics.k8s.io/v1beta1/pods",
			prepare: prepareMetrics,
		},
		{
			name: "custom-metrics", source: "sigs.k8s.io/custom-metrics-apiserver@v1.37.0", version: external,
			about: "The test adapter asks a monitoring system, which evaluates 16 queries at once, each for 100 ms on average.",
			rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces", "pods", "services"}, Verbs: []string{"get", "list"}}},
			seats: 20, backend: slow(), mouse: metric, elephant: metric,
			prepare: func(l *site) {
				l.args = append(l.args, "--lister-kubeconfig="+l.kubeconfig, "--monitoring="+l.monitoring())
			},
		},
		{
			name: "keda", source: "github.com/kedacore/keda/v2@v2.21.0", version: external,
			about: "The adapter asks KEDA's operator, whose scaler asks a monitoring system, which evaluates 16 queries at once, each for 100 ms on average.",
			seats: 20, backend: slow(), mouse: scaled + "mouse", elephant: scaled + "elephant",
			prepare: prepareOperator,
		},
		sampleServer(),
		{
			name: "kueue", source: "sigs.k8s.io/kueue@v0.17.0", version: schema.GroupVersion{Group: "visibility.kueue.x-k8s.io", Version: "v1beta2"},
			about: "It sorts the pending workloads of a queue for each request, so the processors are the bottleneck. The elephant asks for a queue of 5,000 workloads, a mouse for one of 10.",
			rules: admission(), seats: 1, off: off(),
			mouse:    "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/small/pendingworkloads",
			elephant: "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/large/pendingworkloads",
			prepare:  func(l *site) { l.args = append(l.args, "--kubeconfig="+l.kubeconfig) },
		},
		{
			name: "apiextensions", source: "k8s.io/apiextensions-apiserver@v0.37.2", version: schema.GroupVersion{Group: "adoption.example.com", Version: "v1"},
			about: "etcd is slow: it serves 16 requests at once, each for 100 ms on average. Elephant and mice get one custom resource each.",
			rules: append(admission(), rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get", "list", "watch"}}),
			seats: 20, backend: slow(), off: off(), library: []string{"--max-requests-inflight=16", "--max-mutating-requests-inflight=0"},
			mouse: custom + "mouse", elephant: custom + "elephant",
			prepare: func(l *site) {
				l.args = append(l.args, "--kubeconfig="+l.kubeconfig, "--etcd-servers="+l.slowEtcd(), newer)
			},
			fill: fillCustomResources,
		},
	}
}
