package source_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// reviewer is an API server that records reviews and allows them.
type reviewer struct {
	reviews []authorizationv1.SubjectAccessReview
}

func (r *reviewer) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var review authorizationv1.SubjectAccessReview
	body, err := io.ReadAll(request.Body)
	err = errors.Join(err, runtime.DecodeInto(scheme.Codecs.UniversalDeserializer(), body, &review))
	if request.Method != http.MethodPost || request.URL.Path != "/apis/authorization.k8s.io/v1/subjectaccessreviews" || err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r.reviews = append(r.reviews, review)
	review.Status.Allowed = review.Spec.ResourceAttributes.Namespace == "shop"
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	if err := json.NewEncoder(w).Encode(&review); err != nil {
		panic(http.ErrAbortHandler) // the client sees an answer that is cut off
	}
}

func TestTheAPIServerSaysWhatAServiceAccountMay(t *testing.T) {
	r := &reviewer{}
	server := httptest.NewTLSServer(r)
	defer server.Close()
	from := newSource(t, source.Options{Cluster: clusterOf(t, server)})
	web := source.Account{Namespace: "shop", Name: "web"}
	for namespace, want := range map[string]bool{"shop": true, "": false} {
		got, err := from.May(t.Context(), web, authorizationv1.ResourceAttributes{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: namespace})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	require.Len(t, r.reviews, 2)
	spec := r.reviews[0].Spec
	assert.Equal(t, "system:serviceaccount:shop:web", spec.User)
	assert.Equal(t, []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}, spec.Groups)
	assert.Equal(t, "leases", spec.ResourceAttributes.Resource)
}

func TestPodsOfSystemPriorityAreCritical(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		selected := r.URL.Query().Get("fieldSelector") == "spec.serviceAccountName=agent"
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/namespaces/net/pods" && selected {
			_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"init"},"spec":{"priority":999999999}},{"metadata":{"name":"agent-1"},"spec":{"priority":2000001000}}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"a"},"spec":{}}]}`)
	}))
	defer server.Close()
	from := newSource(t, source.Options{Cluster: clusterOf(t, server)})
	for account, want := range map[source.Account]string{{Namespace: "net", Name: "agent"}: "agent-1", {Namespace: "shop", Name: "web"}: ""} {
		pod, err := from.Critical(t.Context(), account)
		require.NoError(t, err)
		assert.Equal(t, want, pod)
	}
	from = newSource(t, source.Options{Offline: true})
	_, err := from.Critical(t.Context(), source.Account{Namespace: "net", Name: "agent"})
	assert.ErrorIs(t, err, source.ErrNoReviews)
}
