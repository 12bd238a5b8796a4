package cluster

import (
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// ServerName is the DNS name of the server's Service, and of its certificate.
	ServerName = Deployment + "." + Namespace + ".svc"
	// ServerPort is the container's port in artifacts/base.
	ServerPort = 7443
)

// deployBeside deploys the server on the cluster's etcd, whose clients need a certificate.
func (c *Cluster) deployBeside(t harness.TB) {
	t.Helper()
	c.Apply(t, "overlays/v1beta3-beside")
	c.shareEtcd(t)
	if c.Artifacts != "" { // of an earlier release, which wants certificates in files
		c.MakeCertificates(t)
	}
	c.WaitRollout(t)
	c.Register(t, "v1beta3")
}

// shareEtcd creates the Secret for the server to connect to the cluster's etcd.
func (c *Cluster) shareEtcd(t harness.TB) {
	t.Helper()
	authority := c.Etcd.CA()
	pair := authority.Client(t, "flowcontrol-apiserver")
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "flowcontrol-apiserver-etcd-client"}, Data: map[string][]byte{}}
	for key, file := range map[string]string{"ca.crt": authority.CertFile, corev1.TLSCertKey: pair.CertFile, corev1.TLSPrivateKeyKey: pair.KeyFile} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading what makes the server a client of etcd: %v", err)
		}
		secret.Data[key] = content
	}
	if _, err := c.Client.CoreV1().Secrets(Namespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatalf("making the server a client of etcd: %v", err)
	}
}

// ServingCA returns the CA bundle of the server's certificate, in PEM.
func (c *Cluster) ServingCA(t harness.TB) []byte {
	t.Helper()
	secret, err := c.Client.CoreV1().Secrets(Namespace).Get(t.Context(), "flowcontrol-apiserver-serving", metav1.GetOptions{})
	if err != nil {
		t.Fatalf("reading the authority of the server's certificate: %v", err)
	}
	return secret.Data["ca.crt"]
}

// Direct returns a client configuration without credentials that reaches one of
// the server's pods directly, not through kube-apiserver.
func (c *Cluster) Direct(t harness.TB, pod *Pod) *rest.Config {
	t.Helper()
	return &rest.Config{
		Host:            "https://" + pod.Address(ServerPort),
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ServingCA(t), ServerName: ServerName},
	}
}
