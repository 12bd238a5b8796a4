package behind

import (
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// question is a request that this server sends to kube-apiserver, as its service
// account.
type question struct {
	name, method, path, body string
	// answer is the status code of the answer.
	answer int
	// level is the level that artifacts/flowschemas assigns to the request.
	level string
}

// questions returns the requests that this server sends. It sends the first one
// for every request that it receives.
func questions() []question {
	const exempt = "exempt"
	read := func(name, path string) question {
		return question{name, http.MethodGet, path, "", http.StatusOK, exempt}
	}
	return []question{
		{"may they do that", http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", `{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
			"spec": {"user": "someone", "nonResourceAttributes": {"verb": "get", "path": "/"}}}`, http.StatusCreated, exempt},
		{"whose token is that", http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", `{
			"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "none"}}`, http.StatusCreated, "flowcontrol-apiserver"},
		read("whom to trust", "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"),
		read("which namespaces are there", "/api/v1/namespaces"),
		read("which webhooks are there", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"),
		read("which policies are there", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"),
	}
}

// strange returns a request that this server does not send.
func strange() question {
	return question{"which secrets are there", http.MethodGet, "/api/v1/namespaces/kube-system/secrets", "", http.StatusForbidden, level}
}

// reviewer returns a client configuration that impersonates this server's service
// account.
func (s *besideSite) reviewer(t *testing.T) *rest.Config {
	t.Helper()
	config := s.Config(t)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: reviewer,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + cluster.Namespace, "system:authenticated"},
	}
	return config
}
