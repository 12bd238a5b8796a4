package cluster

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

// apiService is what is read of an APIService.
type apiService struct {
	Spec struct {
		Service *struct{ Namespace, Name string }
	}
	Status struct{ Conditions []condition }
}

// condition is one of an APIService.
type condition struct {
	Type            string
	Status          corev1.ConditionStatus
	Reason, Message string
}

// available is the condition that the aggregator writes, empty before it does.
func (s *apiService) available() condition {
	for _, condition := range s.Status.Conditions {
		if condition.Type == "Available" {
			condition.Message = "" // differs from check to check
			return condition
		}
	}
	return condition{}
}

// wanted is the condition of an APIService that is available as its
// specification has it now. The reason tells it from what was said of an earlier
// specification, which stays there for a moment: with the Service or without.
func (s *apiService) wanted() condition {
	reason := "Local"
	if s.Spec.Service != nil {
		reason = "Passed"
	}
	return condition{Type: "Available", Status: corev1.ConditionTrue, Reason: reason}
}

// WaitAPIService waits until the aggregator says that an API is available, and
// fails with its reason if it does not.
func (c *Cluster) WaitAPIService(t harness.TB, name string) {
	t.Helper()
	client := c.Client.Discovery().RESTClient()
	path := "/apis/apiregistration.k8s.io/v1/apiservices/" + name
	eventually.Holds(t, "APIService "+name+" is available", func(a *eventually.Attempt) {
		content, err := client.Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(a.Context())
		require.NoError(a, err)
		var service apiService
		require.NoError(a, json.Unmarshal(content, &service))
		require.Equal(a, service.wanted(), service.available(), "%s", content)
	})
}
