package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The namespaces of pods, and how many there are.
const (
	large, small         = "large", "small"
	largePods, smallPods = 2000, 10
)

func podsOf() map[string]int { return map[string]int{large: largePods, small: smallPods} }

// prepareMetrics makes a node, whose kubelet has metrics, and its pods.
func prepareMetrics(l *site) {
	ctx := l.o.Context()
	kubelet := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, summary(time.Now())) }))
	l.o.Cleanup(kubelet.Close)
	_, port, err := net.SplitHostPort(kubelet.Listener.Addr().String())
	l.o.Check(err)
	number, err := strconv.ParseInt(port, 10, 32)
	l.o.Check(err)
	node, err := l.client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}, metav1.CreateOptions{})
	l.o.Check(err)
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(number)
	_, err = l.client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	l.o.Check(err)
	var group errgroup.Group
	group.SetLimit(16)
	for name, count := range podsOf() {
		_, err := l.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		l.o.Check(err)
		for i := range count {
			group.Go(func() error { return l.runPod(name, i) })
		}
	}
	l.o.Check(group.Wait())
	l.args = append(l.args, "--kubeconfig="+l.kubeconfig, "--kubelet-insecure-tls", "--kubelet-use-node-status-port", "--metric-resolution=10s", "--kubelet-request-timeout=5s")
}

// runPod makes a pod that runs.
func (l *site) runPod(namespace string, number int) error {
	pods := l.client.CoreV1().Pods(namespace)
	pod, err := pods.Create(l.o.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podName(number)},
		Spec:       corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	_, err = pods.UpdateStatus(l.o.Context(), pod, metav1.UpdateOptions{})
	return err
}

func podName(number int) string { return fmt.Sprintf("pod-%d", number) }

// summary is what a kubelet answers at /metrics/resource: processor time and memory of the
// node and of each container.
func summary(now time.Time) string {
	var text strings.Builder
	stamp := now.UnixMilli()
	used := float64(stamp%1_000_000_000) / 1000
	fmt.Fprintf(&text, "node_cpu_usage_seconds_total %f %d\nnode_memory_working_set_bytes 1e+09 %d\n", used, stamp, stamp)
	for namespace, count := range podsOf() {
		for i := range count {
			labels := fmt.Sprintf(`{container="main",namespace=%q,pod=%q}`, namespace, podName(i))
			fmt.Fprintf(&text, "container_cpu_usage_seconds_total%s %f %d\ncontainer_memory_working_set_bytes%s 1e+07 %d\ncontainer_start_time_seconds%s %d %d\n",
				labels, used/100, stamp, labels, stamp, labels, now.Add(-time.Hour).Unix(), stamp)
		}
	}
	return text.String()
}
