package cluster

import (
	"context"
	"slices"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Topology is how this server is registered, and where its objects are.
type Topology int

const (
	// Empty is a cluster without this server.
	Empty Topology = iota
	// Beside registers v1beta3, on the cluster's etcd. kube-apiserver serves v1.
	Beside
	// OwnEtcd registers v1beta3, on an etcd of this server. kube-apiserver serves v1.
	OwnEtcd
	// InPlace registers both versions, on an etcd of this server. kube-apiserver has no flow control.
	InPlace
)

// prepare returns the options with what the topology needs before kube-apiserver starts.
func (o Options) prepare(t harness.TB) Options {
	t.Helper()
	switch o.Topology {
	case Beside:
		o.etcd = harness.StartEtcd(t, harness.EtcdOptions{CA: harness.NewCA(t, "etcd-ca")})
	case InPlace:
		o.KubeAPIServerArgs = append(o.KubeAPIServerArgs, "--enable-priority-and-fairness=false", "--runtime-config=flowcontrol.apiserver.k8s.io/v1=false")
	}
	return o
}

// deploy deploys the server.
func (c *Cluster) deploy(t harness.TB, topology Topology) {
	t.Helper()
	switch topology {
	case Beside:
		c.deployBeside(t)
	case OwnEtcd:
		c.Install(t, "overlays/own-etcd", "v1beta3")
	case InPlace:
		c.Install(t, "overlays/flow-control-off", "v1beta3", "v1")
	}
}

// Options configures a cluster; the zero value is valid.
type Options struct {
	Topology Topology
	// KubeAPIServer is the path of kube-apiserver's binary; empty: the supported release's.
	KubeAPIServer string
	// Server is the path of this project's server's binary; empty: the harness builds it.
	Server string
	// Earlier are the paths of earlier servers' binaries, by the tags of their images.
	Earlier map[string]string
	// Artifacts is the first value of Cluster.Artifacts.
	Artifacts string
	// KubeAPIServerArgs are additional flags of kube-apiserver.
	KubeAPIServerArgs []string

	etcd *harness.Etcd // of kube-apiserver; nil: one of plain HTTP
}

// Cluster is a control plane with one node.
type Cluster struct {
	Etcd              *harness.Etcd
	KubeAPIServer     *harness.KubeAPIServer
	ControllerManager *harness.Process
	Network           *Network
	Node              *Node
	// Artifacts is the folder with the manifests and scripts that are applied from now on; empty: this tree's.
	Artifacts string
	// Client is a client of the administrator.
	Client kubernetes.Interface
}

// Start starts a cluster, waits until pods can be created in its namespaces, and deploys the server
// as the topology says.
func Start(t harness.TB, options Options) *Cluster {
	t.Helper()
	options = options.prepare(t)
	c := &Cluster{Etcd: options.etcd, Artifacts: options.Artifacts}
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
		// The simulated kubelet sends no heartbeats.
		Args: []string{"--controllers=*,-node-lifecycle-controller,-taint-eviction-controller,-pod-garbage-collector-controller"},
	})
	client, err := kubernetes.NewForConfig(c.Config(t))
	if err != nil {
		t.Fatalf("making a client of the cluster: %v", err)
	}
	c.Client = client
	c.startInformers(t, options)
	c.waitUsable(t)
	c.deploy(t, options.Topology)
	return c
}

// startInformers starts the network and the node on one informer factory.
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

// waitUsable waits until pods can be created in the default namespace.
func (c *Cluster) waitUsable(t harness.TB) {
	t.Helper()
	eventually.Holds(t, "the default service account and the cluster's CA are there", func(a *eventually.Attempt) {
		_, err := c.Client.CoreV1().ServiceAccounts("default").Get(a.Context(), "default", metav1.GetOptions{})
		require.NoError(a, err)
		_, err = c.Client.CoreV1().ConfigMaps("default").Get(a.Context(), "kube-root-ca.crt", metav1.GetOptions{})
		require.NoError(a, err)
	})
}

// Config returns an unthrottled client configuration of the administrator.
func (c *Cluster) Config(t harness.TB) *rest.Config {
	t.Helper()
	return c.KubeAPIServer.Config(t)
}

// Kubectl returns a kubectl of the administrator.
func (c *Cluster) Kubectl(t harness.TB) *harness.Kubectl {
	t.Helper()
	return c.KubeAPIServer.Kubectl(t)
}
