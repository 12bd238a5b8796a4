package debugendpoints

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

type requestRow struct {
	PriorityLevelName   string     `json:"priorityLevelName"`
	FlowSchemaName      string     `json:"flowSchemaName"`
	QueueIndex          int        `json:"queueIndex"`
	RequestIndexInQueue int        `json:"requestIndexInQueue"`
	FlowDistinguisher   string     `json:"flowDistinguisher" text:"FlowDistingsher"` // as in k8s.io/apiserver
	ArriveTime          time.Time  `json:"arriveTime"`
	InitialSeats        int        `json:"initialSeats"`
	FinalSeats          int        `json:"finalSeats"`
	AdditionalLatency   string     `json:"additionalLatency"`
	StartTime           *time.Time `json:"startTime,omitempty"`
	Tenant              string     `json:"tenant,omitempty" text:"-"` // k8s.io/apiserver has none
}

// detailedRow is the row of a request with details.
type detailedRow struct {
	requestRow

	UserName    string `json:"userName"`
	Verb        string `json:"verb"`
	APIPath     string `json:"apiPath"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	APIVersion  string `json:"apiVersion"`
	Resource    string `json:"resource"`
	SubResource string `json:"subResource"`
}

// requestRows returns a row for each request.
func requestRows[R any](source Source, newRow func(source Source, level string, r *queueset.RequestDump) R) []R {
	var rows []R
	for _, level := range source.Dump() {
		for i := range level.Requests {
			rows = append(rows, newRow(source, level.Report.Config.Name, &level.Requests[i]))
		}
	}
	return rows
}

func newRequestRow(source Source, level string, r *queueset.RequestDump) requestRow {
	out := requestRow{
		PriorityLevelName:   level,
		FlowSchemaName:      r.Schema,
		QueueIndex:          r.Queue,
		RequestIndexInQueue: r.Place,
		FlowDistinguisher:   r.Distinguisher,
		Tenant:              r.Tenant,
		ArriveTime:          source.Wall(r.Arrived).UTC(),
		InitialSeats:        r.Work.Initial,
		FinalSeats:          r.Work.Final,
		AdditionalLatency:   r.Work.Latency.String(),
	}
	if r.Place < 0 {
		started := source.Wall(r.Started).UTC()
		out.StartTime = &started
	}
	return out
}

func newDetailedRow(source Source, level string, r *queueset.RequestDump) detailedRow {
	a := &r.Attributes
	return detailedRow{
		requestRow:  newRequestRow(source, level, r),
		UserName:    a.User,
		Verb:        a.Verb,
		APIPath:     a.Path,
		Namespace:   a.Namespace,
		Name:        a.Name,
		APIVersion:  schema.GroupVersion{Group: a.APIGroup, Version: a.APIVersion}.String(),
		Resource:    a.Resource,
		SubResource: a.Subresource,
	}
}
