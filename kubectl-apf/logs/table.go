package logs

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tableKey is a column of a table with a column for each field of an audit event: AKSAudit and
// AKSAuditAdmin of Azure, ArcK8sAudit.
const (
	tableKey  = "AuditId"
	tableMark = `"` + tableKey + `"`
)

// fieldOfColumn are the fields of an event by the columns of these tables.
var fieldOfColumn = map[string]string{ //nolint:gochecknoglobals // constant
	tableKey: "auditID", "Level": "level", "Stage": "stage", "RequestUri": "requestURI", "Verb": "verb", "User": "user",
	"ImpersonatedUser": "impersonatedUser", "SourceIps": "sourceIPs", "UserAgent": "userAgent", "ObjectRef": "objectRef",
	"ResponseStatus": "responseStatus", "RequestReceivedTime": "requestReceivedTimestamp", "StageReceivedTime": "stageTimestamp", "Annotations": "annotations",
}

// table finds the events in a row of a table, or in a response with columns and rows.
func (r *reader) table(text []byte, fields map[string]json.RawMessage, by transport, depth int) Kind {
	var whole struct {
		Columns []struct{ Name, ColumnName string } // of Log Analytics, and of Data Explorer
		Rows    [][]json.RawMessage
	}
	if cmp.Or(len(fields["columns"]), len(fields["Columns"])) > 0 && json.Unmarshal(text, &whole) == nil && len(whole.Columns) > 0 {
		kind := KindOther
		for _, values := range whole.Rows {
			row := map[string]json.RawMessage{}
			for i, value := range values[:min(len(values), len(whole.Columns))] {
				row[cmp.Or(whole.Columns[i].Name, whole.Columns[i].ColumnName)] = value
			}
			kind = r.row(row, by)
		}
		return kind
	}
	if fields[tableKey] == nil {
		return r.envelope(fields, by, depth)
	}
	return r.row(fields, by)
}

// tableRow finds the event in a row of an export as CSV. It reports whether the line is a row or the header.
func (r *reader) tableRow(text []byte) (kind Kind, isRow bool) {
	values, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).Read()
	if err != nil {
		return KindOther, false
	}
	if r.columns == nil {
		for i := range values {
			values[i] = strings.TrimSuffix(values[i], " [UTC]") // as Azure's portal exports times
		}
		if strings.Contains(strings.Join(values, ","), "{") {
			return KindOther, false // a row of something else
		}
		r.columns = values
		return KindLine, true
	}
	if len(values) != len(r.columns) {
		return KindOther, false
	}
	row := map[string]json.RawMessage{}
	for i, value := range values {
		row[r.columns[i]], _ = json.Marshal(value) //nolint:errchkjson // a text
	}
	return r.row(row, transport{}), true
}

// row yields the event of a row. A value may be text with JSON in it.
func (r *reader) row(row map[string]json.RawMessage, by transport) Kind {
	event := map[string]json.RawMessage{"kind": json.RawMessage(`"Event"`), "apiVersion": json.RawMessage(`"` + auditGroup + `v1"`)}
	for column, value := range row {
		field, known := fieldOfColumn[column]
		if !known || len(value) == 0 {
			continue
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			switch trimmed := strings.TrimSpace(text); {
			case strings.HasSuffix(column, "Time"):
				value, _ = json.Marshal(metav1.NewMicroTime(timeOfTable(trimmed))) //nolint:errchkjson // a time
			case trimmed == "" && column != "Verb":
				continue
			case trimmed[:min(len(trimmed), 1)] == "{", trimmed[:min(len(trimmed), 1)] == "[":
				value = json.RawMessage(trimmed)
			}
		}
		event[field] = value
	}
	converted, err := json.Marshal(event)
	if err != nil {
		converted = []byte(`{"apiVersion":"` + auditGroup) // it is cut off
	}
	return r.entry(KindEvent, converted, by.within(row))
}

// timeOfTable returns a time of RFC 3339, or as Azure's portal exports it; zero if the text is none.
func timeOfTable(text string) time.Time {
	at, _ := time.Parse("1/2/2006, 3:04:05 PM", text)
	return cmp.Or(timeOf(text), at).UTC()
}
