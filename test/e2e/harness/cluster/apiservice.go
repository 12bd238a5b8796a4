package cluster

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// apiService has the fields of an APIService that tests read.
type apiService struct {
	Spec struct {
		Service *struct{ Namespace, Name string }
	}
	Status struct{ Conditions []condition }
}

// condition is a condition of an APIService.
type condition struct {
	Type            string
	Status          corev1.ConditionStatus
	Reason, Message string
}

// available returns the Available condition, empty before the aggregator writes
// it.
func (s *apiService) available() condition {
	for _, condition := range s.Status.Conditions {
		if condition.Type == "Available" {
			condition.Message = "" // differs from check to check
			return condition
		}
	}
	return condition{}
}

// wanted returns the Available condition that an available APIService must have
// for its current specification. The condition of an earlier specification remains
// for a moment. Its reason differs: Local without a Service, Passed with one.
func (s *apiService) wanted() condition {
	reason := "Local"
	if s.Spec.Service != nil {
		reason = "Passed"
	}
	return condition{Type: "Available", Status: corev1.ConditionTrue, Reason: reason}
}

// WaitAPIService waits until the aggregator reports an API as available.
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
