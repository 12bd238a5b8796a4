package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

const (
	// nodeName is the name of the one node.
	nodeName = "node"
	// syncInterval is the time between the node's looks for pods to run.
	syncInterval = 50 * time.Millisecond
)

// Node runs the pods of a cluster as processes.
type Node struct {
	cluster *Cluster
	options Options
	lister  corelisters.PodLister
	secrets corelisters.SecretLister // of volumes
	dir     string
	owner   harness.TB
	// loopback is the prefix of the pods' addresses on this machine: a part of
	// 127.0.0.0/8 that only this cluster uses.
	loopback string

	mu      sync.Mutex // guards the fields below
	running map[types.UID]*Pod
	held    labels.Selector // selects pods whose processes are not restarted
	count   int             // of all pods so far; numbers their addresses
	wg      sync.WaitGroup
}

func newNode(t harness.TB, c *Cluster, factory informers.SharedInformerFactory, options Options) *Node {
	t.Helper()
	return &Node{
		cluster: c,
		options: options,
		lister:  factory.Core().V1().Pods().Lister(),
		secrets: factory.Core().V1().Secrets().Lister(),
		dir:     t.TempDir(),
		owner:   t,

		loopback: loopbackOf(ports.Free(t, 1)[0]),

		running: map[types.UID]*Pod{},
		held:    labels.Nothing(),
	}
}

// loopbackOf returns the part of the loopback that belongs to a port. The owner of
// the port owns the part, across all processes.
func loopbackOf(port int) string { return fmt.Sprintf("127.%d.%d", port/256, port%256) }

// start registers the node and starts to run pods. The pods end before the test's
// other processes.
func (n *Node) start(t harness.TB) {
	t.Helper()
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	if _, err := n.cluster.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatalf("registering the node: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		n.wg.Wait()
	})
	n.wg.Go(func() { wait.UntilWithContext(ctx, n.sync, syncInterval) })
}

// sync runs each pod that does not run yet.
func (n *Node) sync(ctx context.Context) {
	pods, err := n.lister.List(labels.Everything())
	if err != nil {
		return
	}
	for _, pod := range pods {
		if !n.knows(pod) {
			continue
		}
		n.mu.Lock()
		if n.running[pod.UID] == nil {
			n.count++
			p := newPod(n, pod, n.count)
			n.running[pod.UID] = p
			n.wg.Go(func() {
				p.run(ctx)
				n.mu.Lock()
				defer n.mu.Unlock()
				delete(n.running, pod.UID)
			})
		}
		n.mu.Unlock()
	}
}

// knows reports whether there is a program for the pod's one container. Pods of Jobs do not run.
func (n *Node) knows(pod *corev1.Pod) bool {
	return len(pod.Spec.Containers) == 1 && pod.Spec.RestartPolicy == corev1.RestartPolicyAlways && n.programOf(pod.Spec.Containers[0].Image) != nil
}

// programOf returns the function that builds the program of an image, by its name.
func (n *Node) programOf(image string) func(context.Context) (string, error) {
	name, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	switch name {
	case "flowcontrol-apiserver":
		if path := cmp.Or(n.options.Earlier[tag], n.options.Server); path != "" {
			return func(context.Context) (string, error) { return path, nil }
		}
		return binaries.Server
	case "etcd":
		return binaries.Etcd
	default:
		return nil
	}
}

// bind binds the pod to the node, as the scheduler does.
func (n *Node) bind(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.NodeName != "" {
		return nil
	}
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: nodeName},
	}
	return n.cluster.Client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{})
}

// Hold prevents restarts of ended processes, of the pods that match, until the
// returned function is called.
func (n *Node) Hold(selector string) (release func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = mustParse(selector)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.held = labels.Nothing()
	}
}

func (n *Node) holds(p *Pod) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.held.Matches(labels.Set(p.spec.Labels))
}

// Pods returns the running pods that match, by name.
func (n *Node) Pods(selector string) []*Pod {
	parsed := mustParse(selector)
	n.mu.Lock()
	defer n.mu.Unlock()
	var pods []*Pod
	for _, pod := range n.running {
		if parsed.Matches(labels.Set(pod.spec.Labels)) && pod.Process() != nil {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *Pod) int { return cmp.Compare(a.Name(), b.Name()) })
	return pods
}

func mustParse(selector string) labels.Selector {
	parsed, err := labels.Parse(selector)
	if err != nil {
		panic(err) // an invalid selector in the test
	}
	return parsed
}

// WaitReady waits until exactly count matching pods run and are ready.
func (n *Node) WaitReady(t harness.TB, selector string, count int) []*Pod {
	t.Helper()
	var pods []*Pod
	eventually.Holds(t, fmt.Sprintf("%d pods of %s are ready", count, selector), func(a *eventually.Attempt) {
		pods = n.Pods(selector)
		var running, ready []string
		for _, pod := range pods {
			running = append(running, pod.Name())
			if pod.Ready() {
				ready = append(ready, pod.Name())
			}
		}
		require.Len(a, running, count, "pods that run")
		require.Len(a, ready, count, "pods that are ready; the last words of the others:\n%s", lastWords(pods))
	})
	return pods
}

// lastWords returns the end of the output of each pod that is not ready.
func lastWords(pods []*Pod) string {
	var text strings.Builder
	for _, pod := range pods {
		if !pod.Ready() {
			output := pod.Process().Output()
			fmt.Fprintf(&text, "%s: %s\n", pod.Name(), output[max(0, len(output)-2000):])
		}
	}
	return text.String()
}
