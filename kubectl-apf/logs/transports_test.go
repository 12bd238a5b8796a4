package logs

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
		"AKS, records":          {inString(`{"records":[{"properties":{"log":<>},"time":"` + at + `"}]}`), later},
		"AKS, a string of JSON": {func(e string) string { return `{"properties":` + quoted(`{"log":`+quoted(e)+`}`) + `}` }, ""},
		"CloudWatch":            {inString(`{"logEvents":[{"id":"1","timestamp":1741339602100,"message":<>}]}`), ""},
		"CloudWatch, S3":        {format(at + " <>"), later},
		"CloudWatch, CSV":       {func(e string) string { return row(at, e) }, later},
		"Cloud Logging":         {inString(`{"insertId":"1","jsonPayload":{"message":<>,"pid":"1"},"timestamp":"` + at + `"}`), later},
		"Cloud Logging, text":   {inString(`{"textPayload":<>,"timestamp":"` + at + `"}`), later},
		"Loki, logcli":          {format(at + ` {app="kube-apiserver", pod="a"} <>`), later},
		"Loki, labels first":    {format(`{app="kube-apiserver"} <>`), ""},
		"Loki, jsonl":           {inString(`{"labels":{"pod":"a"},"line":<>,"timestamp":"` + at + `"}`), later},
		"Loki, query":           {inString(`{"status":"success","data":{"result":[{"stream":{"pod":"a"},"values":[["1741339602100000000",<>]]}]}}`), ""},
		"Vector":                {inString(`{"file":"/var/log/a","message":<>,"timestamp":"` + at + `"}`), later},
		"Fluent Bit":            {inString(`{"@timestamp":"` + at + `","stream":"stderr","logtag":"F","log":<>,"kubernetes":{"pod_name":"a"}}`), later},
		"Fluent Bit in parts": {func(e string) string {
			part := func(tag, text string) string {
				return `{"@timestamp":"` + at + `","stream":"stderr","_p":"` + tag + `","log":` + quoted(text) + `}`
			}
			return part("P", e[:70]) + "\n" + part("F", e[70:])
		}, later},
	}
}

func TestEntriesAreFoundInEveryTransport(t *testing.T) {
	for name, transport := range transports() {
		for kind, entries := range map[Kind][]string{KindEvent: {event, padded}, KindRequest: {request, asJSON}} {
			for _, entry := range entries {
				t.Run(name+"/"+entry[:30], func(t *testing.T) {
					log := transport.wrap(entry) + "\n" + transport.wrap(tracing) + "\n" + transport.wrap(entry)
					one := found{kind, entry, transport.written}
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
		if name == "journald, export" { // the next message has its time
			continue
		}
		log.WriteString(transport.wrap(event) + "\n" + transport.wrap(tracing) + "\n" + transport.wrap(request) + "\n")
		want += 2
	}
	assert.Len(t, wanted(read(t, log.String())), want)
}
