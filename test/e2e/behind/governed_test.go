package behind

import (
	"encoding/csv"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// governedRequest is a request that executes or queues in the level of service
// accounts.
type governedRequest struct {
	user, path string
	queued     bool
}

// governed returns the requests of that level in a server at the moment.
func governed(t tester, config *rest.Config) []governedRequest {
	t.Helper()
	dump := send(t, config, http.MethodGet, "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1", "")
	require.Equal(t, http.StatusOK, dump.Code, dump.Body)
	reader := csv.NewReader(strings.NewReader(dump.Body))
	reader.TrimLeadingSpace = true
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	columns := map[string]int{}
	for i, name := range rows[0] {
		columns[name] = i
	}
	var requests []governedRequest
	for _, row := range rows[1:] {
		if row[columns["PriorityLevelName"]] == level {
			requests = append(requests, governedRequest{
				user: row[columns["UserName"]], path: row[columns["APIPath"]],
				queued: row[columns["RequestIndexInQueue"]] != "-1",
			})
		}
	}
	return requests
}

// queuedPaths returns the paths of a user's queued requests; of all users if user
// is empty.
func queuedPaths(requests []governedRequest, user string) []string {
	var paths []string
	for _, r := range requests {
		if r.queued && (user == "" || user == r.user) {
			paths = append(paths, r.path)
		}
	}
	return paths
}
