package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createLabelled creates count schemas NAME-0, NAME-1, ... with the label
// set=NAME and returns the last.
func (s *site) createLabelled(t *testing.T, name string, count int) *flowcontrolv1.FlowSchema {
	t.Helper()
	var last *flowcontrolv1.FlowSchema
	for i := range count {
		schema := newSchema(fmt.Sprintf("%s-%d", name, i), "catch-all")
		schema.Labels = map[string]string{"set": name}
		last = s.createSchema(t, schema)
	}
	return last
}

func names(list *flowcontrolv1.FlowSchemaList) []string {
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	return names
}

func testListInChunks(c apiCase) {
	t, s := c.t, c.site
	s.createLabelled(t, "chunks", 5)
	var chunks []string
	options := metav1.ListOptions{Limit: 4}
	var first *flowcontrolv1.FlowSchemaList
	for {
		page, err := s.schemas().List(t.Context(), options)
		require.NoError(t, err)
		if first == nil {
			first = page
			require.Len(t, page.Items, 4)
			require.NotNil(t, page.RemainingItemCount)
			// After the first page: the rest of the list is what it was.
			s.createSchema(t, newSchema("chunks-late", "catch-all"))
			require.NoError(t, s.schemas().Delete(t.Context(), "chunks-4", metav1.DeleteOptions{}))
		}
		require.Equal(t, first.ResourceVersion, page.ResourceVersion)
		chunks = append(chunks, names(page)...)
		if page.Continue == "" {
			require.Nil(t, page.RemainingItemCount)
			break
		}
		options.Continue = page.Continue
	}
	require.EqualValues(t, len(chunks)-4, *first.RemainingItemCount)
	require.Contains(t, chunks, "chunks-4")
	require.NotContains(t, chunks, "chunks-late")
	require.True(t, slices.IsSorted(chunks), chunks)
	whole, err := s.schemas().List(t.Context(), metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	require.NoError(t, err)
	require.Equal(t, names(whole), chunks)

	selected, err := s.schemas().List(t.Context(), metav1.ListOptions{Limit: 2, LabelSelector: "set=chunks"})
	require.NoError(t, err)
	require.Nil(t, selected.RemainingItemCount, "not known with a selector")
	rest, err := s.schemas().List(t.Context(), metav1.ListOptions{Limit: 2, LabelSelector: "set=chunks", Continue: selected.Continue})
	require.NoError(t, err)
	require.Equal(t, []string{"chunks-0", "chunks-1", "chunks-2", "chunks-3"}, slices.Concat(names(selected), names(rest)))

	broken := s.do(t, http.MethodGet, v1Path+"/flowschemas?limit=2&continue=nonsense", "")
	require.Equal(t, http.StatusBadRequest, broken.code)
	require.Contains(t, broken.status(t).Message, "continue")
}

func testListVersions(c apiCase) {
	t, s := c.t, c.site
	old := s.createLabelled(t, "versioned", 1).ResourceVersion
	now := s.createLabelled(t, "versioned-later", 1).ResourceVersion
	number, err := strconv.ParseInt(now, 10, 64)
	require.NoError(t, err)
	future := strconv.FormatInt(number+1_000_000, 10)

	for _, test := range []struct {
		name, query string
		code        int
		late        bool // whether the later object is certain to be there
		early       bool // whether the later object is certain to be absent
	}{
		{name: "unset is the most recent", query: "", code: 200, late: true},
		{name: "0 is anything", query: "resourceVersion=0", code: 200},
		{name: "N is not older than N", query: "resourceVersion=" + now, code: 200, late: true},
		{name: "N with a limit is exactly N", query: "limit=500&resourceVersion=" + old, code: 200, early: true},
		{name: "NotOlderThan N", query: "resourceVersionMatch=NotOlderThan&resourceVersion=" + now, code: 200, late: true},
		{name: "NotOlderThan 0", query: "resourceVersionMatch=NotOlderThan&resourceVersion=0", code: 200},
		{name: "Exact N", query: "resourceVersionMatch=Exact&resourceVersion=" + old, code: 200, early: true},
		{name: "Exact N with a limit", query: "limit=500&resourceVersionMatch=Exact&resourceVersion=" + old, code: 200, early: true},
		{name: "Exact without a version", query: "resourceVersionMatch=Exact", code: 400},
		{name: "Exact 0", query: "resourceVersionMatch=Exact&resourceVersion=0", code: 400},
		{name: "NotOlderThan without a version", query: "resourceVersionMatch=NotOlderThan", code: 400},
		{name: "a match that does not exist", query: "resourceVersionMatch=Nearly&resourceVersion=" + now, code: 400},
		{name: "a version that is no number", query: "resourceVersion=latest", code: 400},
		{name: "a version from the future", query: "resourceVersion=" + future, code: 504},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := s.do(t, http.MethodGet, v1Path+"/flowschemas?"+test.query, "")
			require.Equal(t, test.code, answer.code, answer.body)
			if test.code != http.StatusOK {
				status := answer.status(t)
				if test.code == http.StatusGatewayTimeout {
					require.Contains(t, status.Message, "Too large resource version")
					require.Positive(t, status.Details.RetryAfterSeconds)
				}
				return
			}
			var list flowcontrolv1.FlowSchemaList
			answer.decode(t, &list)
			if test.late {
				require.Contains(t, names(&list), "versioned-later-0")
			}
			if test.early {
				require.Contains(t, names(&list), "versioned-0")
				require.NotContains(t, names(&list), "versioned-later-0")
				require.Equal(t, old, list.ResourceVersion)
			}
		})
	}

	_, err = s.schemas().Get(t.Context(), "versioned-later-0", metav1.GetOptions{ResourceVersion: now})
	require.NoError(t, err)
	_, err = s.schemas().Get(t.Context(), "catch-all", metav1.GetOptions{ResourceVersion: "0"})
	require.NoError(t, err)
	// The client would try this again and again.
	require.Equal(t, http.StatusGatewayTimeout, s.do(t, http.MethodGet, v1Path+"/flowschemas/versioned-0?resourceVersion="+future, "").code)
}

func testListSelectors(c apiCase) {
	t, s := c.t, c.site
	latest := s.createLabelled(t, "selected", 3).ResourceVersion
	for _, test := range []struct {
		name    string
		options metav1.ListOptions
		want    []string
	}{
		{"a label", metav1.ListOptions{LabelSelector: "set=selected"}, []string{"selected-0", "selected-1", "selected-2"}},
		{"a label and a name", metav1.ListOptions{LabelSelector: "set in (selected)", FieldSelector: "metadata.name=selected-1"}, []string{"selected-1"}},
		{"a label but not a name", metav1.ListOptions{LabelSelector: "set=selected", FieldSelector: "metadata.name!=selected-1"}, []string{"selected-0", "selected-2"}},
		{"a name", metav1.ListOptions{FieldSelector: "metadata.name=selected-2"}, []string{"selected-2"}},
		{"a name that does not exist", metav1.ListOptions{FieldSelector: "metadata.name=absent"}, nil},
	} {
		for _, version := range []string{"", latest} {
			test.options.ResourceVersion = version
			list, err := s.schemas().List(t.Context(), test.options)
			require.NoError(t, err, test.name)
			require.Equal(t, test.want, names(list), test.name)
		}
	}
	for field, expected := range map[string]string{
		"spec.matchingPrecedence=1": `only "metadata.name"`,
		"nonsense":                  "invalid",
	} {
		answer := s.do(t, http.MethodGet, v1Path+"/flowschemas?fieldSelector="+url.QueryEscape(field), "")
		require.Equal(t, http.StatusBadRequest, answer.code)
		require.Contains(t, answer.status(t).Message, expected)
	}
	answer := s.do(t, http.MethodGet, v1Path+"/flowschemas?labelSelector="+url.QueryEscape("a in"), "")
	require.Equal(t, http.StatusBadRequest, answer.code)
	answer.status(t)
}
