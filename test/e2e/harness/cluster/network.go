package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// Network connects to names and addresses of the cluster. It is an HTTP proxy that
// supports CONNECT.
type Network struct {
	// socket is the proxy's address for kube-apiserver, proxy its URL for pods.
	socket, proxy string
	dir           string

	mu            sync.Mutex // guards the fields below
	draws         *rand.Rand
	services      corelisters.ServiceLister
	slices        discoverylisters.EndpointSliceLister
	kubeAPIServer string            // its host and port
	pods          map[string]string // local addresses by pod IP
}

// startNetwork starts the proxy. It knows no names until follow.
func startNetwork(t harness.TB) *Network {
	t.Helper()
	dir := harness.ShortDir(t)
	n := &Network{
		dir: dir, socket: filepath.Join(dir, "network.sock"),
		draws: rand.New(rand.NewPCG(lane.Seed(t), 0)), pods: map[string]string{},
	}
	tcp := ports.Listen(t)
	n.proxy = "http://" + tcp.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(n.connect)}
	t.Cleanup(func() { _ = server.Close() })
	for _, listener := range []net.Listener{tcp, listen(t, n.socket)} {
		go func() { _ = server.Serve(listener) }()
	}
	return n
}

// Proxy returns the URL of the proxy.
func (n *Network) Proxy() string { return n.proxy }

func listen(t harness.TB, socket string) net.Listener {
	t.Helper()
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatalf("listening for the cluster's network: %v", err)
	}
	return listener
}

// kubeAPIServerArgs returns the flags that make kube-apiserver use the proxy.
func (n *Network) kubeAPIServerArgs() []string {
	file := filepath.Join(n.dir, "egress.json")
	config := fmt.Sprintf(`{"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration", "egressSelections": [
		{"name": "cluster", "connection": {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": %q}}}}]}`, n.socket)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		panic(err) // the directory exists
	}
	return []string{"--egress-selector-config-file=" + file}
}

// follow gives the network the listers of the cluster.
func (n *Network) follow(factory informers.SharedInformerFactory, kubeAPIServer *harness.KubeAPIServer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.services = factory.Core().V1().Services().Lister()
	n.slices = factory.Discovery().V1().EndpointSlices().Lister()
	if parsed, err := url.Parse(kubeAPIServer.URL); err == nil {
		n.kubeAPIServer = parsed.Host
	}
}

// setPod sets the local address of a pod IP; empty removes it.
func (n *Network) setPod(podIP, local string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if local == "" {
		delete(n.pods, podIP)
		return
	}
	n.pods[podIP] = local
}

// Dial connects to an address of the cluster: of a pod, the cluster IP or name of
// a Service, or the name of a pod below a headless Service. A loopback address is
// one of this machine.
func (n *Network) Dial(ctx context.Context, address string) (net.Conn, error) {
	local, err := n.resolve(address)
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", local)
}

// connect serves CONNECT.
func (n *Network) connect(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodConnect {
		http.Error(w, "this proxy understands CONNECT alone", http.StatusMethodNotAllowed)
		return
	}
	backend, err := n.Dial(request.Context(), request.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = backend.Close()
		return
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = backend.Close()
		_ = client.Close()
		return
	}
	join(client, buffered.Reader, backend)
}

// join copies in both directions and closes both connections when one ends.
func join(client net.Conn, fromClient *bufio.Reader, backend net.Conn) {
	var once sync.Once
	end := func() { once.Do(func() { _ = client.Close(); _ = backend.Close() }) }
	go func() { defer end(); _, _ = io.Copy(backend, fromClient) }()
	go func() { defer end(); _, _ = io.Copy(client, backend) }()
}

// resolve returns the local address for an address of the cluster.
func (n *Network) resolve(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return address, nil
	}
	if local, ok := n.pods[host]; ok {
		return net.JoinHostPort(local, port), nil
	}
	if n.services == nil {
		return "", fmt.Errorf("%s: the network has not started", address)
	}
	number, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		return "", err
	}
	service, hostname, err := n.service(host)
	if err != nil {
		return "", err
	}
	if service.Namespace == "default" && service.Name == "kubernetes" {
		return n.kubeAPIServer, nil
	}
	return n.endpoint(service, hostname, int32(number))
}

// service returns the Service with a cluster IP or name, and the host name before
// that name if there is one.
func (n *Network) service(host string) (service *corev1.Service, hostname string, err error) {
	if net.ParseIP(host) != nil {
		all, err := n.services.List(labels.Everything())
		if err != nil {
			return nil, "", err
		}
		for _, service := range all {
			if slices.Contains(service.Spec.ClusterIPs, host) {
				return service, "", nil
			}
		}
		return nil, "", fmt.Errorf("no Service has the address %s", host)
	}
	name, rest, found := strings.Cut(strings.TrimSuffix(host, ".cluster.local"), ".svc")
	if !found || rest != "" {
		return nil, "", fmt.Errorf("%s is not the name of a Service", host)
	}
	parts := strings.Split(name, ".")
	if len(parts) == 3 {
		hostname, parts = parts[0], parts[1:]
	}
	if len(parts) != 2 {
		return nil, "", fmt.Errorf("%s is not the name of a Service", host)
	}
	service, err = n.services.Services(parts[1]).Get(parts[0])
	return service, hostname, err
}

// errNoEndpoint reports that a Service has no ready endpoint.
var errNoEndpoint = errors.New("no ready endpoint")

// endpoint returns a random ready endpoint for a port of a Service.
func (n *Network) endpoint(service *corev1.Service, hostname string, port int32) (string, error) {
	headless := service.Spec.ClusterIP == corev1.ClusterIPNone
	at := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port })
	if at < 0 && !headless {
		return "", fmt.Errorf("service %s/%s has no port %d", service.Namespace, service.Name, port)
	}
	all, err := n.slices.EndpointSlices(service.Namespace).List(
		labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service.Name}))
	if err != nil {
		return "", err
	}
	var found []string
	for _, slice := range all {
		target := port
		if !headless {
			target = targetPort(slice, service.Spec.Ports[at].Name)
		}
		for _, endpoint := range slice.Endpoints {
			if usable(endpoint, hostname, service.Spec.PublishNotReadyAddresses) {
				if local, ok := n.pods[endpoint.Addresses[0]]; ok {
					found = append(found, net.JoinHostPort(local, strconv.Itoa(int(target))))
				}
			}
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("service %s/%s: %w", service.Namespace, service.Name, errNoEndpoint)
	}
	slices.Sort(found)
	return found[n.draws.IntN(len(found))], nil
}

func targetPort(slice *discoveryv1.EndpointSlice, name string) int32 {
	for _, port := range slice.Ports {
		if port.Name != nil && *port.Name == name && port.Port != nil {
			return *port.Port
		}
	}
	return 0
}

func usable(endpoint discoveryv1.Endpoint, hostname string, notReadyToo bool) bool {
	if hostname != "" && (endpoint.Hostname == nil || *endpoint.Hostname != hostname) {
		return false
	}
	return notReadyToo || endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready
}
