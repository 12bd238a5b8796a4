package debugendpoints

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

type requestRow struct {
	PriorityLevelName   string     `json:"priorityLevelName"`
	FlowSchemaName      string     `json:"flowSchemaName"`
	QueueIndex          int        `json:"queueIndex"`
	RequestIndexInQueue int        `json:"requestIndexInQueue"`
	FlowDistinguisher   string     `json:"flowDistinguisher"`
	ArriveTime          time.Time  `json:"arriveTime"`
	InitialSeats        int        `json:"initialSeats"`
	FinalSeats          int        `json:"finalSeats"`
	AdditionalLatency   string     `json:"additionalLatency"`
	StartTime           *time.Time `json:"startTime,omitempty"`

	*requestDetails `json:",omitempty"`
}

type requestDetails struct {
	UserName    string `json:"userName"`
	Verb        string `json:"verb"`
	APIPath     string `json:"apiPath"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	APIVersion  string `json:"apiVersion"`
	Resource    string `json:"resource"`
	SubResource string `json:"subResource"`
}

// requestHeaders has the spelling "FlowDistingsher" of k8s.io/apiserver, for scripts.
func requestHeaders(details bool) []string {
	headers := []string{
		"PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher",
		"ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime",
	}
	if details {
		headers = append(headers, "UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource")
	}
	return headers
}

func requestRows(source Source, details bool) []row {
	var rows []row
	for _, level := range source.Dump() {
		for i := range level.Requests {
			rows = append(rows, newRequestRow(source, level.Report.Config.Name, &level.Requests[i], details))
		}
	}
	return rows
}

func newRequestRow(source Source, level string, r *queueset.RequestDump, details bool) requestRow {
	out := requestRow{
		PriorityLevelName:   level,
		FlowSchemaName:      r.Schema,
		QueueIndex:          r.Queue,
		RequestIndexInQueue: r.Place,
		FlowDistinguisher:   r.Distinguisher,
		ArriveTime:          source.Wall(r.Arrived).UTC(),
		InitialSeats:        r.Work.Initial,
		FinalSeats:          r.Work.Final,
		AdditionalLatency:   r.Work.Latency.String(),
	}
	if r.Place < 0 {
		started := source.Wall(r.Started).UTC()
		out.StartTime = &started
	}
	if details {
		a := &r.Attributes
		out.requestDetails = &requestDetails{
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
	return out
}

func (r requestRow) columns() []string {
	var started time.Time
	if r.StartTime != nil {
		started = *r.StartTime
	}
	columns := []string{
		r.PriorityLevelName,
		r.FlowSchemaName,
		strconv.Itoa(r.QueueIndex),
		strconv.Itoa(r.RequestIndexInQueue),
		r.FlowDistinguisher,
		r.ArriveTime.Format(time.RFC3339Nano),
		strconv.Itoa(r.InitialSeats),
		strconv.Itoa(r.FinalSeats),
		r.AdditionalLatency,
		started.Format(time.RFC3339Nano),
	}
	if d := r.requestDetails; d != nil {
		columns = append(columns, d.UserName, d.Verb, d.APIPath, d.Namespace, d.Name, d.APIVersion, d.Resource, d.SubResource)
	}
	return columns
}
