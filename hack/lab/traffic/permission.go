package traffic

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Person is a user in a token file. Their token is their name.
type Person struct {
	Name  string
	Group string
}

// NameOfMouse returns the name of the mouse with this index, from 0.
func NameOfMouse(i int) string { return fmt.Sprintf("mouse-%d", i) }

// StartServer starts a server that authenticates these people. They may read
// everything after the backend has served them.
func StartServer(o *harness.Owner, options harness.ServerOptions, people []Person, backend Backend) (*harness.Server, *Target) {
	webhook, permission, err := allowReading(o.TempDir(), backend)
	o.Check(err)
	o.Cleanup(permission.Close)
	options.Args = append(options.Args, Tokens(o, people), "--authorization-webhook-config-file="+webhook)
	server := harness.StartServer(o, options)
	target, err := NewTarget(server.Kubeconfig)
	o.Check(err)
	return server, target
}

// Tokens returns the flag with which a server authenticates these people.
func Tokens(t harness.TB, people []Person) string {
	t.Helper()
	var lines strings.Builder
	for _, person := range people {
		fmt.Fprintf(&lines, "%[1]s,%[1]s,%[1]s,%[2]s\n", person.Name, person.Group)
	}
	file := filepath.Join(t.TempDir(), "tokens.csv")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatalf("writing the users of a server: %v", err)
	}
	return "--token-auth-file=" + file
}

// Admin is the person as whom the harness asks whether kube-apiserver is ready.
func Admin() Person { return Person{Name: harness.AdminToken, Group: "system:masters"} }

// Backend is a resource that requests need and that is slow without using a
// processor. The zero Backend is not slow.
type Backend struct {
	// Places is the number of requests that it serves at once. The others wait in
	// the order of arrival.
	Places int
	// Takes is the mean time that a request keeps its place. The times are random,
	// between a half and three halves of the mean, so that requests do not all end
	// at once.
	Takes time.Duration
}

// Slow returns a function that returns when the backend has served the caller.
func (b Backend) Slow() func() {
	if b.Places == 0 {
		return func() {}
	}
	places := make(chan struct{}, b.Places)
	return func() {
		places <- struct{}{}
		<-time.After(b.Takes/2 + rand.N(b.Takes))
		<-places
	}
}

// allowReading serves an authorization webhook on the loopback. It allows
// everybody to read after the backend has served them. It writes the kubeconfig
// of the webhook into dir. The caller closes the server.
func allowReading(dir string, backend Backend) (kubeconfig string, server *httptest.Server, err error) {
	serve := backend.Slow()
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve()
		var review authorizationv1.SubjectAccessReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if resource := review.Spec.ResourceAttributes; resource != nil {
			review.Status.Allowed = resource.Verb == "get" || resource.Verb == "list" || resource.Verb == "watch"
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // fails only if the client disconnected
	}))
	config := clientcmdapi.NewConfig()
	config.Clusters["webhook"] = &clientcmdapi.Cluster{Server: server.URL}
	config.AuthInfos["webhook"] = &clientcmdapi.AuthInfo{}
	config.Contexts["webhook"] = &clientcmdapi.Context{Cluster: "webhook", AuthInfo: "webhook"}
	config.CurrentContext = "webhook"
	kubeconfig = filepath.Join(dir, "authorization.kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		server.Close()
		return "", nil, err
	}
	return kubeconfig, server, nil
}
