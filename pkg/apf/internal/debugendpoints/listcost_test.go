package debugendpoints

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// getListCosts requests list_costs of a server that has learned of two kinds of list.
func getListCosts(t *testing.T, accept string) *httptest.ResponseRecorder {
	t.Helper()
	history := estimate.NewHistory()
	for range 5 {
		history.Observe(estimate.StoredType{Resource: "pods"}, estimate.ListKind{}, estimate.Observation{Bytes: 250_000, Prior: 1_000_000, Took: 40 * time.Millisecond}, time.Hour)
	}
	history.Observe(estimate.StoredType{Group: "apps", Resource: "deployments"}, estimate.ListKind{
		FromStorage: true, Namespaced: true, Whole: true, Selector: estimate.LabelSelector, Limit: 500,
	}, estimate.Observation{Bytes: 20, Prior: 90_000_000, Took: time.Second}, time.Hour)
	return getWith(t, still(nil), history, "list_costs", accept)
}

func TestListCostsAreWhatWasLearned(t *testing.T) {
	assert.Equal(t, [][]string{
		{"APIGroup", "Resource", "Source", "Scope", "Selector", "Limit", "Encoding", "Seats", "Bytes", "FormulaBytes", "Lists", "MeanSeconds", "Floor"},
		{"", "pods", "cache", "all", "none", "none", "object", "3", "250000", "1000000", "5", "0.040000", "false"},
		{"apps", "deployments", "etcd", "namespace", "labels", "256-1023", "whole", "100", "90000000", "90000000", "1", "1.000000", "true"},
	}, lines(getListCosts(t, "").Body.String()))
}

func TestListCostsAreJSONForThoseWhoPreferIt(t *testing.T) {
	var objects []map[string]any
	require.NoError(t, json.Unmarshal(getListCosts(t, "application/json").Body.Bytes(), &objects))
	require.Len(t, objects, 2)
	assert.Equal(t, map[string]any{
		"apiGroup": "apps", "resource": "deployments", "source": "etcd", "scope": "namespace", "selector": "labels", "limit": "256-1023",
		"encoding": "whole", "seats": 100.0, "bytes": 90e6, "formulaBytes": 90e6, "lists": 1.0, "meanSeconds": 1.0, "floor": true,
	}, objects[1])
}
