package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	group      = "flowcontrol.apiserver.k8s.io"
	beside     = "/apis/" + group + "/v1beta3/flowschemas"
	asked      = "catch-all" // the schema that is got
	place      = "bench"     // the namespace, and the service account in it
	placeGrace = time.Minute // how long kube-apiserver may take to know an API
	replicas   = 2           // of this server
)

// front is a kube-apiserver with this server, and one that does nothing, behind
// it.
type front struct {
	kube    *harness.KubeAPIServer
	cluster kubernetes.Interface
	serving *harness.CA
	ours    [replicas]*harness.Server // the first is the one that is registered
	token   string                    // of the service account
	nothing nothing
}

func measureAggregated(o *harness.Owner, s settings) (tables []table) {
	o.Within(func(o *harness.Owner) {
		f := startFront(o)
		tables = []table{f.measureGets(o, s), f.measureEnforcement(o, s)}
	})
	return tables
}

func startFront(o *harness.Owner) *front {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{Fsync: true})
	f := &front{
		kube:    harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd}),
		serving: harness.NewCA(o, "serving-ca"),
	}
	var err error
	f.cluster, err = kubernetes.NewForConfig(f.kube.Config(o))
	o.Check(err)
	o.Check(f.makeUser(o.Context()))
	pair := f.servingPair(o, "ours")
	for i := range f.ours {
		f.ours[i] = harness.StartServer(o, harness.ServerOptions{Program: harness.Program(o, binaries.Release), Etcd: etcd, Args: []string{
			"--etcd-prefix=" + storePrefix, "--kubeconfig=" + f.kube.Kubeconfig,
			"--tls-cert-file=" + pair.CertFile, "--tls-private-key-file=" + pair.KeyFile,
		}})
	}
	f.register(o, "ours", group, "v1beta3", f.ours[0].Port)
	answer, err := await(o, f.client(o, f.kube.URL), beside+"/"+asked)
	o.Check(err)

	f.nothing = startNothing(o, f.servingPair(o, "nothing"), answer)
	f.register(o, "nothing", nothingGroup, "v1", f.nothing.port)
	_, err = await(o, f.client(o, f.kube.URL), nothingPath)
	o.Check(err)
	return f
}

// servingPair is a certificate for a Service of this name.
func (f *front) servingPair(o *harness.Owner, service string) harness.Pair {
	return f.serving.Server(o, service, service+"."+place+".svc")
}

// makeUser makes the service account that asks, which may read all.
func (f *front) makeUser(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: place}}
	if _, err := f.cluster.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	accounts := f.cluster.CoreV1().ServiceAccounts(place)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: place}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: place},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{"*"}, Resources: []string{"flowschemas"}}},
	}
	if _, err := f.cluster.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: place},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: place},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: place, Name: place}},
	}
	if _, err := f.cluster.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	token, err := accounts.CreateToken(ctx, place, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	f.token = token.Status.Token
	return nil
}

// register makes kube-apiserver pass requests for an API on to a port of this
// machine. The Service is an external name, so that no network has to stand in
// for that of a cluster, which would be measured too.
func (f *front) register(o *harness.Owner, service, group, version string, port int) {
	_, err := f.cluster.CoreV1().Services(place).Create(o.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: service},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{})
	o.Check(err)
	authority, err := readBase64(f.serving.CertFile)
	o.Check(err)
	o.Check(f.administrator(o).do(o.Context(), http.MethodPost, "/apis/apiregistration.k8s.io/v1/apiservices",
		fmt.Appendf(nil, `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"%[2]s.%[1]s"},`+
			`"spec":{"group":%[1]q,"version":%[2]q,"groupPriorityMinimum":100,"versionPriority":10,"caBundle":%[3]q,`+
			`"service":{"namespace":%[4]q,"name":%[5]q,"port":%[6]d}}}`, group, version, authority, place, service, port)))
}

// await asks for a path until it is served, and returns the answer.
func await(o *harness.Owner, c *client, path string) (answer []byte, err error) {
	err = wait.PollUntilContextTimeout(o.Context(), 50*time.Millisecond, placeGrace, true, func(ctx context.Context) (bool, error) {
		body, err := c.open(ctx, http.MethodGet, path, nil)
		if err != nil {
			return false, nil // not served yet
		}
		defer func() { _ = body.Close() }()
		answer, err = io.ReadAll(body)
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("%s is not served by %s: %w", path, c.base, err)
	}
	return answer, nil
}

// administrator asks kube-apiserver.
func (f *front) administrator(o *harness.Owner) *client { return newClients(o, f.kube.Config(o), 1)[0] }

// client is the service account's, of the server at the address.
func (f *front) client(o *harness.Owner, url string) *client {
	authority := f.serving.CertFile
	if url == f.kube.URL {
		authority = f.kube.ClientCA.CertFile
	}
	config := &rest.Config{Host: url, BearerToken: f.token, TLSClientConfig: rest.TLSClientConfig{CAFile: authority}}
	return newClients(o, config, 1)[0]
}

func (n nothing) url() string { return "https://127.0.0.1:" + strconv.Itoa(n.port) }
