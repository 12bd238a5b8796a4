//go:build !race

// See example_test.go.

package server

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
)

// listCostRow is a row of list_costs.
type listCostRow struct {
	Resource, Source, Selector, Limit, Encoding string
	Seats, Lists                                int
	Bytes, FormulaBytes                         int64
	Floor                                       bool
}

// listCosts returns what the server has learned of lists of flow schemas without a limit
// from a source and with a selector.
func listCosts(t *testing.T, client *versioned.Clientset, source, selector string) listCostRow {
	t.Helper()
	body, err := client.Discovery().RESTClient().Get().AbsPath("/debug/api_priority_and_fairness/list_costs").
		SetHeader("Accept", "application/json").DoRaw(t.Context())
	require.NoError(t, err)
	var rows []listCostRow
	require.NoError(t, json.Unmarshal(body, &rows))
	for _, r := range rows {
		if r.Resource == "flowschemas" && r.Source == source && r.Selector == selector && r.Limit == "none" && r.Encoding == "object" {
			return r
		}
	}
	t.Fatalf("no row of %s, %s in %s", source, selector, body)
	return listCostRow{}
}

func TestListsThatAServerServesAreLearned(t *testing.T) {
	config := startClocked(t, func(config *Config) { config.Etcd.StorageConfig.CountMetricPollPeriod = 100 * time.Millisecond }).LoopbackClientConfig()
	config.QPS = -1 // no limit
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	schemas := client.FlowcontrolV1().FlowSchemas()
	for i := range 40 {
		schema := &flowcontrolv1.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("large", i), Annotations: map[string]string{"example.com/text": strings.Repeat("x", 20_000)}},
			Spec: flowcontrolv1.FlowSchemaSpec{
				PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "global-default"}, MatchingPrecedence: 9_000,
			},
		}
		_, err := schemas.Create(t.Context(), schema, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	present, err := schemas.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the number and the size of all are known", func(a *eventually.Attempt) {
		body, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(a.Context())
		require.NoError(a, err)
		text := string(body)
		_, size, found := strings.Cut(text, `apiserver_resource_size_estimate_bytes{group="flowcontrol.apiserver.k8s.io",resource="flowschemas"} `)
		require.True(a, found)
		size, _, _ = strings.Cut(size, "\n")
		bytes, err := strconv.ParseFloat(size, 64)
		require.NoError(a, err)
		require.Greater(a, bytes, 800_000.0)
		require.Contains(a, text, fmt.Sprintf("apiserver_storage_objects{resource=\"flowschemas.flowcontrol.apiserver.k8s.io\"} %d\n", len(present.Items)))
	})

	list := func(options metav1.ListOptions, found int) {
		for range 4 {
			got, err := schemas.List(t.Context(), options)
			require.NoError(t, err)
			require.Len(t, got.Items, found)
		}
	}
	list(metav1.ListOptions{LabelSelector: "a=b"}, 0)
	nothing := listCosts(t, client, "cache", "labels")
	assert.Equal(t, 1, nothing.Seats, "of more than 800,000 bytes nothing is chosen")
	assert.Positive(t, nothing.Bytes)
	assert.False(t, nothing.Floor)
	assert.Greater(t, nothing.FormulaBytes, int64(800_000))
	assert.LessOrEqual(t, nothing.FormulaBytes, int64(1_000_000))

	list(metav1.ListOptions{ResourceVersion: present.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact, LabelSelector: "a=b"}, 0)
	read := listCosts(t, client, "etcd", "labels")
	if utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) { // from 1.34 on
		assert.Equal(t, 1, read.Seats, "an exact version is read from the cache, and nothing is chosen")
		return
	}
	assert.GreaterOrEqual(t, read.Seats, 9, "all is read from etcd, and nothing is chosen")
	assert.Greater(t, read.Bytes, int64(800_000))
	assert.Less(t, read.Bytes, int64(1_600_000))
	assert.GreaterOrEqual(t, read.Lists, 4)
}
