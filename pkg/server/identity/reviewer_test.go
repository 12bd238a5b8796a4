package identity

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reviewer is a fake webhook and kube-apiserver on the loopback. At any path it
// answers TokenReviews and SubjectAccessReviews of either version, and it
// serves kube-apiserver's ConfigMap.
type reviewer struct {
	web *httptest.Server
	ca  *testCA
	// users holds the users by token.
	users map[string]authenticationv1.UserInfo
	// allow and deny decide a review. If both return false, there is no opinion.
	allow, deny func(authorizationv1.SubjectAccessReviewSpec) bool
	// status is the HTTP status of every response, 0 for reviews.
	status int

	// mu guards reviews, the received versions and kinds, and trust, the data of
	// the ConfigMap with kube-apiserver's CA bundles.
	mu      sync.Mutex
	reviews []string
	trust   map[string]string
}

func newReviewer(t *testing.T) *reviewer {
	t.Helper()
	never := func(authorizationv1.SubjectAccessReviewSpec) bool { return false }
	result := &reviewer{ca: newCA(t, "reviewer"), allow: never, deny: never}
	result.web = httptest.NewUnstartedServer(result)
	result.web.TLS = &tls.Config{Certificates: []tls.Certificate{*result.ca.server()}}
	result.web.StartTLS()
	t.Cleanup(result.web.Close)
	return result
}

// kubeconfig writes a kubeconfig for the reviewer and returns its file.
func (r *reviewer) kubeconfig(t *testing.T) string {
	t.Helper()
	return writeFile(t, "reviewer.kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: reviewer, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: us, user: {token: ours}}]
contexts: [{name: reviewer, context: {cluster: reviewer, user: us}}]
current-context: reviewer
`, r.web.URL, r.ca.file))
}

// received returns the versions and kinds of the reviews so far.
func (r *reviewer) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.reviews)
}

// publish sets the data of the ConfigMap.
func (r *reviewer) publish(trust map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trust = trust
}

// ServeHTTP implements http.Handler.
func (r *reviewer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if strings.HasPrefix(req.URL.Path, "/api/v1/namespaces/kube-system/configmaps") {
		r.serveTrust(w, req)
		return
	}
	body := json.RawMessage{}
	kind := metav1.TypeMeta{}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil || json.Unmarshal(body, &kind) != nil {
		http.NotFound(w, req)
		return
	}
	r.mu.Lock()
	r.reviews = append(r.reviews, kind.APIVersion+" "+kind.Kind)
	r.mu.Unlock()
	switch {
	case r.status != 0:
		http.Error(w, "broken", r.status)
	case kind.Kind == "TokenReview":
		review := authenticationv1.TokenReview{}
		_ = json.Unmarshal(body, &review)
		user, ok := r.users[review.Spec.Token]
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: ok, User: user}
		r.write(w, review)
	default:
		r.write(w, r.reviewAccess(body, kind.APIVersion))
	}
}

// serveTrust answers a get, list or watch of the ConfigMap.
func (r *reviewer) serveTrust(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	trust := r.trust
	r.mu.Unlock()
	configMap := corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: trust}
	configMap.Namespace, configMap.Name, configMap.ResourceVersion = "kube-system", "extension-apiserver-authentication", "1"
	switch {
	case trust == nil:
		http.Error(w, "forbidden", http.StatusForbidden)
	case req.URL.Query().Get("sendInitialEvents") != "":
		// As a kube-apiserver without streaming lists, which clients ask for since 1.35.
		http.Error(w, "invalid", http.StatusUnprocessableEntity)
	case req.URL.Query().Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-req.Context().Done()
	case strings.HasSuffix(req.URL.Path, configMap.Name):
		r.write(w, configMap)
	default:
		r.write(w, corev1.ConfigMapList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"},
			Items: []corev1.ConfigMap{configMap},
		})
	}
}

// reviewAccess answers a SubjectAccessReview. v1beta1 names the field of the groups
// differently.
func (r *reviewer) reviewAccess(body []byte, version string) any {
	var review struct {
		metav1.TypeMeta
		Spec struct {
			authorizationv1.SubjectAccessReviewSpec
			Group []string `json:"group"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(body, &review)
	spec := review.Spec.SubjectAccessReviewSpec
	if strings.HasSuffix(version, "/v1beta1") {
		spec.Groups = review.Spec.Group
	}
	return map[string]any{"apiVersion": version, "kind": "SubjectAccessReview", "status": authorizationv1.SubjectAccessReviewStatus{
		Allowed: r.allow(spec), Denied: r.deny(spec), Reason: "for a reason",
	}}
}

func (r *reviewer) write(w http.ResponseWriter, object any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(object); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
