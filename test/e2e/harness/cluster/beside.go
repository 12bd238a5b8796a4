package cluster

import (
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// ServerName is that of the server's Service, for which its certificate is.
	ServerName = Deployment + "." + Namespace + ".svc"
	// ServerPort is the container's port, by artifacts/base.
	ServerPort = 7443
)

// StartBeside starts a cluster in which v1beta3 is this server's, by
// overlays/v1beta3-beside: on the etcd of the cluster, whose clients need a
// certificate, beside kube-apiserver's own v1. The changes are JSON patches of the
// server's Deployment.
func StartBeside(t harness.TB, options Options, changes ...string) *Cluster {
	t.Helper()
	if options.Etcd == nil {
		options.Etcd = harness.StartEtcd(t, harness.EtcdOptions{CA: harness.NewCA(t, "etcd-ca")})
	}
	// kubeadm has etcd at a port of the node, unless the options rewrite that first.
	options.Rewrite = append(options.Rewrite, "https://127.0.0.1:2379", options.Etcd.URL)
	c := Start(t, options)
	c.Apply(t, "overlays/v1beta3-beside")
	for _, change := range changes {
		c.Kubectl(t).Run(t, "-n", Namespace, "patch", "deployment", Deployment, "--type=json", "-p", change)
	}
	c.shareEtcd(t)
	c.MakeCertificates(t)
	c.WaitRollout(t)
	c.WaitAPIService(t, "v1beta3.flowcontrol.apiserver.k8s.io")
	return c
}

// shareEtcd makes the Secret by which the server is a client of the cluster's etcd.
func (c *Cluster) shareEtcd(t harness.TB) {
	t.Helper()
	authority := c.Etcd.CA()
	pair := authority.Client(t, "flowcontrol-apiserver")
	c.Kubectl(t).Run(t, "-n", Namespace, "create", "secret", "generic", "flowcontrol-apiserver-etcd-client",
		"--from-file=ca.crt="+authority.CertFile, "--from-file=tls.crt="+pair.CertFile, "--from-file=tls.key="+pair.KeyFile)
}

// ServingCA is the authority of the server's certificate, in PEM.
func (c *Cluster) ServingCA(t harness.TB) []byte {
	t.Helper()
	secret, err := c.Client.CoreV1().Secrets(Namespace).Get(t.Context(), "flowcontrol-apiserver-serving", getOptions)
	if err != nil {
		t.Fatalf("reading the authority of the server's certificate: %v", err)
	}
	return secret.Data["ca.crt"]
}

// Direct returns a client configuration that reaches one of the server's pods past
// kube-apiserver, without credentials.
func (c *Cluster) Direct(t harness.TB, pod *Pod) *rest.Config {
	t.Helper()
	return &rest.Config{
		Host:            "https://" + pod.Address(ServerPort),
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ServingCA(t), ServerName: ServerName},
	}
}
