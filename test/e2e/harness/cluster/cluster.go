package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// grace is how long something that must happen may take on a slow machine.
	grace = 5 * time.Minute
	// pollInterval separates two looks at something that is waited for.
	pollInterval = 50 * time.Millisecond
)

// Options says how a cluster is run; the zero value is a plain one.
type Options struct {
	// KubeAPIServer is the path of kube-apiserver's binary; empty: the one of
	// this project's release.
	KubeAPIServer string
	// KubeAPIServerArgs are further flags of kube-apiserver.
	KubeAPIServerArgs []string
	// Etcd is the store; nil: a new one.
	Etcd *harness.Etcd
	// Rewrite replaces text in the arguments of pods, pairs of old and new: for
	// what the specification leaves to the user's machines, such as the address
	// of an etcd outside of the cluster or a path on the host.
	Rewrite []string
	// HostPaths are directories of this machine that stand in for those that
	// pods mount from their host, by path.
	HostPaths map[string]string
}

// Cluster is a control plane with one node.
type Cluster struct {
	Etcd              *harness.Etcd
	KubeAPIServer     *harness.KubeAPIServer
	ControllerManager *harness.Process
	Network           *Network
	Node              *Node
	// Client is the administrator's.
	Client kubernetes.Interface
}

// Start starts a cluster and waits until namespaces have what pods need.
func Start(t harness.TB, options Options) *Cluster {
	t.Helper()
	c := &Cluster{Etcd: options.Etcd}
	if c.Etcd == nil {
		c.Etcd = harness.StartEtcd(t, harness.EtcdOptions{})
	}
	c.Network = startNetwork(t)
	c.KubeAPIServer = harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Etcd:    c.Etcd,
		Program: options.KubeAPIServer,
		Args:    slices.Concat(c.Network.kubeAPIServerArgs(), options.KubeAPIServerArgs),
	})
	c.ControllerManager = harness.StartKubeControllerManager(t, harness.KubeControllerManagerOptions{
		KubeAPIServer: c.KubeAPIServer,
		// The stand-in for kubelet sends no heartbeats.
		Args: []string{"--controllers=*,-node-lifecycle-controller,-taint-eviction-controller,-pod-garbage-collector-controller"},
	})
	client, err := kubernetes.NewForConfig(c.Config(t))
	if err != nil {
		t.Fatalf("making a client of the cluster: %v", err)
	}
	c.Client = client
	c.startInformers(t, options)
	c.waitUsable(t)
	return c
}

// startInformers starts network and node on one set of informers.
func (c *Cluster) startInformers(t harness.TB, options Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	c.Network.follow(factory, c.KubeAPIServer)
	c.Node = newNode(t, c, factory, options)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	c.Node.start(t)
	go c.nudgeEndpoints(ctx)
}

// waitUsable waits until pods may be made in a namespace.
func (c *Cluster) waitUsable(t harness.TB) {
	t.Helper()
	Eventually(t, "the default service account and the cluster's CA are there", func(ctx context.Context) error {
		if _, err := c.Client.CoreV1().ServiceAccounts("default").Get(ctx, "default", getOptions); err != nil {
			return err
		}
		_, err := c.Client.CoreV1().ConfigMaps("default").Get(ctx, "kube-root-ca.crt", getOptions)
		return err
	})
}

// Config returns a client configuration of the administrator, not throttled.
func (c *Cluster) Config(t harness.TB) *rest.Config {
	t.Helper()
	return c.KubeAPIServer.Config(t)
}

// Kubectl returns a kubectl of the administrator.
func (c *Cluster) Kubectl(t harness.TB) *harness.Kubectl {
	t.Helper()
	return c.KubeAPIServer.Kubectl(t)
}

// WaitAPIService waits until the aggregator says that an API is available, and
// fails with its reason if it does not.
func (c *Cluster) WaitAPIService(t harness.TB, name string) {
	t.Helper()
	kubectl := c.Kubectl(t)
	const condition = `jsonpath={range .status.conditions[?(@.type=="Available")]}{.status} {.reason}: {.message}{end}`
	Eventually(t, "APIService "+name+" is available", func(context.Context) error {
		result := kubectl.Try(t, "", "get", "apiservice", name, "-o", condition)
		if len(result.Stdout) < 4 || result.Stdout[:4] != "True" {
			return fmt.Errorf("%s%s", result.Stdout, result.Stderr)
		}
		return nil
	})
}

// Eventually waits until look has no error.
func Eventually(t harness.TB, what string, look func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), pollInterval, grace, true, func(ctx context.Context) (bool, error) {
		last = look(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("waiting until %s: %v; at last: %v", what, err, last)
	}
}
