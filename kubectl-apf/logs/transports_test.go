package logs

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// row returns a row of CSV.
func row(columns ...string) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write(columns)
	w.Flush()
	return strings.TrimSuffix(out.String(), "\n")
}

// transports are the forms of a one-line entry that reach an operator, each with its time.
func transports() map[string]struct {
	wrap    func(entry string) string
	written string
} {
	const at, later = "2025-03-07T09:26:42.1Z", "2025-03-07T09:26:42Z"
	type transport = struct {
		wrap    func(string) string
		written string
	}
	format := func(layout string) func(string) string {
		return func(entry string) string { return strings.Replace(layout, "<>", entry, 1) }
	}
	inString := func(layout string) func(string) string {
		return func(entry string) string { return strings.Replace(layout, "<>", quoted(entry), 1) }
	}
	return map[string]transport{
		"plain":              {format("<>"), ""},
		"white space around": {format(" \t<>  \r"), ""},
		"CRI":                {format(at + " stderr F <>"), later},
		"CRI of Windows":     {format(at + " stdout F <>\r"), later},
		"CRI in parts": {func(e string) string {
			return at + " stderr P " + e[:50] + "\n" + at + " stderr P " + e[50:60] + "\n" + at + " stderr F " + e[60:]
		}, later},
		"Docker":                                 {func(e string) string { return `{"log":` + quoted(e+"\n") + `,"stream":"stderr","time":"` + at + `"}` }, later},
		"Docker without a line break at the end": {inString(`{"log":<>,"stream":"stderr","time":"` + at + `"}`), later},
		"kubectl logs --timestamps":              {format(at + " <>"), later},
		"kubectl logs --prefix":                  {format("[pod/kube-apiserver-a/kube-apiserver] <>"), ""},
		"kubectl logs --prefix --timestamps":     {format("[pod/kube-apiserver-a/kube-apiserver] " + at + " <>"), later},
		"stern":                                  {format("kube-apiserver-a kube-apiserver <>"), ""},
		"stern -A":                               {format("kube-system kube-apiserver-a kube-apiserver <>"), ""},
		"stern -o json":                          {inString(`{"message":<>,"nodeName":"n","namespace":"kube-system","podName":"kube-apiserver-a","containerName":"kube-apiserver"}`), ""},
		"journald, export of a host":             {format("__REALTIME_TIMESTAMP=1741339602100000\n_HOSTNAME=master-0\nMESSAGE=<>\n"), later},
		"journald, JSON of a host":               {inString(`{"__REALTIME_TIMESTAMP":"1741339602100000","_HOSTNAME":"master-0","MESSAGE":<>}`), later},
		"CloudWatch, events":                     {inString(`{"events":[{"logStreamName":"kube-apiserver-0a1b","message":<>}]}`), ""},
		"aws logs tail":                          {format(at + " kube-apiserver-0a1b <>"), later},
		"CloudWatch Insights":                    {func(e string) string { return row(at, e, "kube-apiserver-0a1b") }, later},
		"oc adm node-logs":                       {format("master-0.example.internal <>"), ""},
		"journald, short":                        {format("Mar 07 09:26:41 master-0 kube-apiserver[1234]: <>"), ""},
		"journald, short-iso":                    {format("2025-03-07T09:26:42+00:00 master-0 kube-apiserver[1234]: <>"), later},
		"journald, export":                       {format("__CURSOR=s=1\n__REALTIME_TIMESTAMP=1741339602100000\nPRIORITY=6\nMESSAGE=<>\n_PID=1\n"), later},
		"journald, JSON":                         {inString(`{"__REALTIME_TIMESTAMP":"1741339602100000","_PID":"1","MESSAGE":<>}`), later},
		"journald, JSON as bytes": {func(e string) string {
			return `{"__REALTIME_TIMESTAMP":"1741339602100000","MESSAGE":` + strings.ReplaceAll(fmt.Sprintf("%d", []byte(e)), " ", ",") + `}`
		}, later},
		"AKS": {func(e string) string {
			return `{"time":"` + at + `","category":"kube-audit","properties":{"log":` + quoted(e+"\n") + `,"stream":"stdout","pod":"kube-apiserver-a"}}`
		}, later},
		"AKS, records":               {inString(`{"records":[{"properties":{"log":<>},"time":"` + at + `"}]}`), later},
		"AKS, a string of JSON":      {func(e string) string { return `{"properties":` + quoted(`{"log":`+quoted(e)+`}`) + `}` }, ""},
		"CloudWatch":                 {inString(`{"logEvents":[{"id":"1","timestamp":1741339602100,"message":<>}]}`), ""},
		"CloudWatch, S3":             {format(at + " <>"), later},
		"CloudWatch, CSV":            {func(e string) string { return row(at, e) }, later},
		"Cloud Logging":              {inString(`{"insertId":"1","jsonPayload":{"message":<>,"pid":"1"},"timestamp":"` + at + `"}`), later},
		"Cloud Logging, text":        {inString(`{"textPayload":<>,"timestamp":"` + at + `"}`), later},
		"Loki, logcli":               {format(at + ` {app="kube-apiserver", pod="a"} <>`), later},
		"Loki, labels first":         {format(`{app="kube-apiserver"} <>`), ""},
		"Loki, jsonl":                {inString(`{"labels":{"pod":"a"},"line":<>,"timestamp":"` + at + `"}`), later},
		"Loki, query":                {inString(`{"status":"success","data":{"result":[{"stream":{"pod":"a"},"values":[["1741339602100000000",<>]]}]}}`), ""},
		"CloudWatch Insights, JSON":  {inString(`{"results":[[{"field":"@message","value":<>},{"field":"@logStream","value":"kube-apiserver-0a1b"}]]}`), ""},
		"Cloud Logging, a container": {inString(`{"resource":{"type":"k8s_container","labels":{"pod_name":"kube-apiserver-a"}},"textPayload":<>,"timestamp":"` + at + `"}`), later},
		"Filebeat":                   {inString(`{"@timestamp":"` + at + `","host":{"name":"collector"},"kubernetes":{"pod":{"name":"kube-apiserver-a"}},"message":<>}`), later},
		"Filebeat of a host":         {inString(`{"@timestamp":"` + at + `","host":{"name":"master-0"},"message":<>}`), later},
		"Elasticsearch":              {inString(`{"_index":"i","_source":{"kubernetes":{"pod_name":"kube-apiserver-a"},"log":<>}}`), ""},
		"OpenTelemetry":              {inString(`{"resource":{"attributes":{"k8s.pod.name":"kube-apiserver-a"}},"body":<>}`), ""},
		"OTLP":                       {inString(`{"resourceLogs":[{"resource":{"attributes":[{"key":"k8s.pod.name","value":{"stringValue":"kube-apiserver-a"}}]},"scopeLogs":[{"logRecords":[{"body":{"stringValue":<>}}]}]}]}`), ""},
		"syslog, RFC 5424":           {format("<14>1 " + at + " master-0 kube-apiserver 12 - - <>"), later},
		"docker compose":             {format("kube-apiserver-a  | <>"), ""},
		"Vector":                     {inString(`{"file":"/var/log/a","message":<>,"timestamp":"` + at + `"}`), later},
		"Fluent Bit":                 {inString(`{"@timestamp":"` + at + `","stream":"stderr","logtag":"F","log":<>,"kubernetes":{"pod_name":"a"}}`), later},
		"Fluent Bit in parts": {func(e string) string {
			part := func(tag, text string) string {
				return `{"@timestamp":"` + at + `","stream":"stderr","_p":"` + tag + `","log":` + quoted(text) + `}`
			}
			return part("P", e[:70]) + "\n" + part("F", e[70:])
		}, later},
	}
}

func TestEntriesAreFoundInEveryTransport(t *testing.T) {
	// servers are what transports name the server: a pod, a node or a stream.
	servers := map[string]string{
		"kubectl logs --prefix": "kube-apiserver-a", "kubectl logs --prefix --timestamps": "kube-apiserver-a", "stern": "kube-apiserver-a", "stern -A": "kube-apiserver-a",
		"stern -o json": "kube-apiserver-a", "oc adm node-logs": "master-0.example.internal", "journald, short": "master-0", "journald, short-iso": "master-0",
		"journald, export of a host": "master-0", "journald, JSON of a host": "master-0", "AKS": "kube-apiserver-a", "CloudWatch, events": "kube-apiserver-0a1b", "aws logs tail": "kube-apiserver-0a1b",
		"CloudWatch Insights, JSON": "kube-apiserver-0a1b", "Cloud Logging, a container": "kube-apiserver-a", "Filebeat": "kube-apiserver-a", "Filebeat of a host": "master-0", "Elasticsearch": "kube-apiserver-a",
		"OpenTelemetry": "kube-apiserver-a", "OTLP": "kube-apiserver-a", "syslog, RFC 5424": "master-0", "docker compose": "kube-apiserver-a",
		"CloudWatch Insights": "kube-apiserver-0a1b", "Loki, logcli": "a", "Loki, jsonl": "a", "Loki, query": "a", "Fluent Bit": "a",
	}
	for name, transport := range transports() {
		for kind, entries := range map[Kind][]string{KindEvent: {event, padded}, KindRequest: {request, asJSON}} {
			for _, entry := range entries {
				t.Run(name+"/"+entry[:30], func(t *testing.T) {
					log := transport.wrap(entry) + "\n" + transport.wrap(tracing) + "\n" + transport.wrap(entry)
					one := found{kind, entry, transport.written, servers[name]}
					assert.Equal(t, []found{one, one}, wanted(read(t, log)))
				})
			}
		}
	}
}

func TestTransportsMayBeMixed(t *testing.T) {
	var log strings.Builder
	want := 0
	for name, transport := range transports() {
		if strings.HasPrefix(name, "journald, export") { // the next message has its time
			continue
		}
		log.WriteString(transport.wrap(event) + "\n" + transport.wrap(tracing) + "\n" + transport.wrap(request) + "\n")
		want += 2
	}
	assert.Len(t, wanted(read(t, log.String())), want)
}

func TestThePathOfALogNamesItsServer(t *testing.T) {
	for path, want := range map[string]string{
		"/var/log/pods/kube-system_kube-apiserver-cp-1_279a78e3b8722226/kube-apiserver/1.log":             "kube-apiserver-cp-1",
		"/var/log/containers/kube-apiserver-cp-1_kube-system_kube-apiserver-0af1.log":                     "kube-apiserver-cp-1",
		"export/7c1e/kube-apiserver-audit-0a1b2c3d4e5f60718293a4b5c6d7e8f9/000000.gz":                     "kube-apiserver-audit-0a1b2c3d4e5f60718293a4b5c6d7e8f9",
		"must-gather/audit_logs/kube-apiserver/master-0.example.com-audit-2026-11-03T09-00-00.000.log.gz": "master-0.example.com",
		"must-gather/audit_logs/kube-apiserver/master-1-audit.log.gz":                                     "master-1",
		"/var/log/kubernetes/audit.log": "", "kube-apiserver-audit.log": "", "pods/kube-system/kube-apiserver-a/1.log": "",
	} {
		assert.Equal(t, want, ServerOf(path), path)
	}
}

// AKSAudit, which Azure recommends, has a column for each field of an event.
func TestEventsInATableOfAzure(t *testing.T) {
	const user, status = `{"username":"alice","groups":["devs","system:authenticated"]}`, `{"metadata":{},"code":200}`
	columns := []string{"TenantId", "TimeGenerated", "Level", "AuditId", "Stage", "RequestUri", "Verb", "User", "SourceIps", "UserAgent", "ObjectRef", "ResponseStatus", "RequestReceivedTime", "StageReceivedTime", "Annotations", "PodName", "Type"}
	values := func(received, completed string) []string {
		return []string{"t", "2026-11-22T10:00:01Z", "Metadata", "5d0f", "ResponseComplete", "/api/v1/namespaces/team-a/pods?limit=500", "list", user, `["10.0.0.7"]`, "kubectl/v1.33.0", `{"resource":"pods","namespace":"team-a"}`, status, received, completed, "{}", "kube-apiserver-a", "AKSAudit"}
	}
	const received, completed = "2026-11-22T10:00:00.000000Z", "2026-11-22T10:00:00.25Z"
	asJSON := func(dynamic bool) string {
		var fields []string
		for i, value := range values(received, completed) {
			if dynamic && strings.ContainsAny(value[:1], "{[") {
				fields = append(fields, quoted(columns[i])+":"+value)
			} else {
				fields = append(fields, quoted(columns[i])+":"+quoted(value))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	var names, cells []string
	for i, value := range values(received, completed) {
		names, cells = append(names, `{"name":`+quoted(columns[i])+`,"type":"string"}`), append(cells, quoted(value))
	}
	utc := strings.Replace(strings.Replace(row(columns...), "TimeGenerated", "TimeGenerated [UTC]", 1), "RequestReceivedTime,StageReceivedTime", "RequestReceivedTime [UTC],StageReceivedTime [UTC]", 1)
	for name, log := range map[string]string{
		"az monitor log-analytics query": "[\n" + asJSON(false) + "\n]",
		"a row with objects":             asJSON(true),
		"the response of the API":        `{"tables":[{"name":"PrimaryResult","columns":[` + strings.Join(names, ",") + `],"rows":[[` + strings.Join(cells, ",") + `]]}]}`,
		"the response of Data Explorer":  `[{"FrameType":"DataTable","Columns":[` + strings.ReplaceAll(strings.Join(names, ","), `"name"`, `"ColumnName"`) + `],"Rows":[[` + strings.Join(cells, ",") + `]]}]`,
		"CSV":                            row(columns...) + "\n" + row(values(received, completed)...),
		"CSV of the portal":              "\ufeff" + utc + "\r\n" + row(values("11/22/2026, 10:00:00.000 AM", "11/22/2026, 10:00:00.250 AM")...),
	} {
		t.Run(name, func(t *testing.T) {
			events, _ := readEvents(t, log)
			require.Len(t, events, 1)
			r := events[0]
			want, _ := readEvents(t, list) // the same event as kube-apiserver writes it
			want[0].ID, want[0].Replica = "5d0f", "kube-apiserver-a"
			assert.Equal(t, want[0], r)
		})
	}
}
