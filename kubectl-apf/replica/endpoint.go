package replica

import (
	"fmt"
	"io"
)

// Endpoint is a path of an API server that tells of its flow control.
type Endpoint string

// The endpoints. The last two are served by flowcontrol-apiserver only.
const (
	EndpointMetrics    Endpoint = "/metrics"
	EndpointLevels     Endpoint = "/debug/api_priority_and_fairness/dump_priority_levels"
	EndpointQueues     Endpoint = "/debug/api_priority_and_fairness/dump_queues"
	EndpointRequests   Endpoint = "/debug/api_priority_and_fairness/dump_requests"
	EndpointFlows      Endpoint = "/debug/api_priority_and_fairness/top_flows"
	EndpointRejections Endpoint = "/debug/api_priority_and_fairness/rejections"
)

// Endpoints returns all endpoints, in the order of reading.
func Endpoints() []Endpoint {
	return []Endpoint{EndpointMetrics, EndpointLevels, EndpointQueues, EndpointRequests, EndpointFlows, EndpointRejections}
}

// Add adds the response of an endpoint to the state. It accepts the text and the JSON
// form. Rows that cannot be read are omitted, and Missing says so.
func (r *Replica) Add(endpoint Endpoint, body io.Reader) {
	var faults []string
	switch endpoint {
	case EndpointMetrics:
		r.Metrics, faults = readMetrics(body)
	case EndpointLevels:
		r.Levels, faults = readRows[Level](body)
	case EndpointQueues:
		r.Queues, faults = readRows[Queue](body)
	case EndpointRequests:
		r.Requests, faults = readRows[Request](body)
	case EndpointFlows:
		r.Flows, faults = readRows[Flow](body)
	case EndpointRejections:
		r.Rejections, faults = readRows[Rejection](body)
	default:
		faults = []string{"This is not an endpoint of flow control."}
	}
	for _, fault := range faults {
		r.Missing = append(r.Missing, Missing{What: string(endpoint), Why: fault})
	}
}

// readRows reads a response, one value per row.
func readRows[T any](body io.Reader) (values []T, faults []string) {
	text, err := io.ReadAll(body)
	if err != nil {
		faults = append(faults, fmt.Sprintf("The response ended early: %v.", err))
	}
	rows, more := parseRows(text)
	faults = append(faults, more...)
	var bad []error
	for _, row := range rows {
		if value, err := decode[T](row); err == nil {
			values = append(values, value)
		} else {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		faults = append(faults, fmt.Sprintf("%d of %d rows are omitted: %v.", len(bad), len(rows), bad[0]))
	}
	return values, faults
}
