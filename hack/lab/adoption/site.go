package main

import (
	"cmp"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

const (
	// namespace has the service accounts, and the objects that are read.
	namespace = "adoption"
	// adopter is the service account of the server.
	adopter = "server"
	// extraRole lets the server read the configuration of flow control, which only the
	// library's engine needs.
	extraRole = "flow-control"
)

// site is a kube-apiserver in front of a server.
type site struct {
	o             *harness.Owner
	server        server
	etcd          *harness.Etcd
	kubeAPIServer *harness.KubeAPIServer
	client        kubernetes.Interface
	target        *traffic.Target
	dir           string
	port          int    // of the server
	kubeconfig    string // of the server
	backend       *slowness
	elephant      string   // token
	mice          []string // tokens
	args          []string // of every program
}

// newSite starts kube-apiserver, and registers a server that does not run yet.
func newSite(o *harness.Owner, s server) *site {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{})
	l := &site{
		o: o, server: s, dir: o.TempDir(), port: ports.Free(o, 1)[0], etcd: etcd, backend: &slowness{serve: s.backend.Slow()},
		kubeAPIServer: harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd, Args: []string{
			"--disable-admission-plugins=ServiceAccount", "--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
		}}),
	}
	var err error
	l.client, err = kubernetes.NewForConfig(l.kubeAPIServer.Config(o))
	o.Check(err)
	l.target, err = traffic.NewTarget(l.kubeAPIServer.Kubeconfig)
	o.Check(err)
	l.kubectl("create", "namespace", namespace)
	l.kubeconfig = l.kubeAPIServer.KubeconfigOf(l.o, l.account(namespace, adopter))
	l.elephant = l.account(namespace, "elephant")
	for i := range mice {
		l.mice = append(l.mice, l.account(cmp.Or(s.miceIn, namespace), traffic.NameOfMouse(i)))
	}
	l.permit()
	l.register()
	if s.prepare != nil {
		s.prepare(l)
	}
	return l
}

// account makes a service account and returns a token.
func (l *site) account(namespace, name string) string {
	ctx, accounts := l.o.Context(), l.client.CoreV1().ServiceAccounts(namespace)
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		l.o.Check(err)
	}
	token, err := accounts.CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	l.o.Check(err)
	return token.Status.Token
}

// permit gives the server the permissions of its manifests, and the clients those to read its group.
func (l *site) permit() {
	server := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: adopter}
	l.kubectl("-n", metav1.NamespaceSystem, "create", "rolebinding", adopter, "--role=extension-apiserver-authentication-reader", "--serviceaccount="+namespace+":"+adopter)
	l.bind("system:auth-delegator", server)
	if len(l.server.rules) > 0 {
		l.role("own", l.server.rules...)
		l.bind("own", server)
	}
	l.role("clients", rbacv1.PolicyRule{APIGroups: []string{l.server.version.Group}, Resources: []string{"*"}, Verbs: []string{"get", "list"}})
	l.bind("clients", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:serviceaccounts"})
	l.role(extraRole,
		rbacv1.PolicyRule{APIGroups: []string{"flowcontrol.apiserver.k8s.io"}, Resources: []string{"flowschemas", "prioritylevelconfigurations"}, Verbs: []string{"get", "list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{"flowcontrol.apiserver.k8s.io"}, Resources: []string{"flowschemas/status"}, Verbs: []string{"patch"}})
}

func (l *site) role(name string, rules ...rbacv1.PolicyRule) {
	_, err := l.client.RbacV1().ClusterRoles().Create(l.o.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	l.o.Check(err)
}

func (l *site) bind(role string, subject rbacv1.Subject) {
	_, err := l.client.RbacV1().ClusterRoleBindings().Create(l.o.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "adoption:" + role + ":" + subject.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		l.o.Check(err)
	}
}

// mayReadConfiguration lets the server read the configuration of flow control, or not.
func (l *site) mayReadConfiguration(may bool) {
	if may {
		l.bind(extraRole, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: adopter})
		return
	}
	l.kubectl("delete", "--ignore-not-found", "clusterrolebinding", "adoption:"+extraRole+":"+adopter)
}

// register makes the APIService, by a Service that is a name of this machine.
func (l *site) register() {
	l.kubeAPIServer.Kubectl(l.o).RunInput(l.o, fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: server, namespace: %[1]s}
spec: {type: ExternalName, externalName: localhost, ports: [{port: %[2]d}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: %[3]s.%[4]s}
spec:
  group: %[4]s
  version: %[3]s
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 1000
  versionPriority: 15
  service: {namespace: %[1]s, name: server, port: %[2]d}
`, namespace, l.port, l.server.version.Version, l.server.version.Group), "apply", "-f", "-")
}

func (l *site) kubectl(args ...string) { l.kubeAPIServer.Kubectl(l.o).Run(l.o, args...) }

// nudge makes kube-apiserver check the APIService at once.
func (l *site) nudge() {
	l.kubectl("annotate", "--overwrite", "apiservice", l.server.version.Version+"."+l.server.version.Group, "adoption/nudge="+time.Now().Format(time.RFC3339Nano))
}
