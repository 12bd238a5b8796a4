package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Entries as API servers write them: an event in kube-apiserver's order of keys, and in the order
// of a pipeline that sorts or pads; a request in both formats of klog.
const (
	event   = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/pods?x=%7B\"","verb":"list"}`
	padded  = `{"apiVersion": "audit.k8s.io/v1", "auditID": "2", "kind": "Event", "requestURI": "/a", "user": {"username": "{bob"}}`
	request = `I0307 09:26:41.511983       1 httplog.go:134] "HTTP" verb="POST" URI="/api/v1/namespaces/a/pods" userAgent="x \"{y\"" latency="12.3ms" apf_fs="service-accounts" resp=201`
	asJSON  = `{"ts":1741339601511.9,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"LIST","URI":"/api/v1/pods","latency":"1.5ms","resp":200}`
	tracing = `I0307 09:26:41.511983       1 trace.go:236] Trace[1]: "List" accept:{"a":"audit.k8s.io/v1"}`
)

// found is what is tested of an entry.
type found struct {
	Kind    Kind
	Text    string
	Written string
	Server  string
}

func read(t *testing.T, log string) (entries []Entry) {
	t.Helper()
	truncated, err := ReadEntries(strings.NewReader(log), func(e Entry) error {
		e.Text = bytes.Clone(e.Text)
		entries = append(entries, e)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, truncated)
	return entries
}

// wanted returns the entries that are an event or a request.
func wanted(entries []Entry) (all []found) {
	for _, e := range entries {
		if e.Kind == KindEvent || e.Kind == KindRequest {
			f := found{e.Kind, string(e.Text), "", e.Server}
			if !e.Written.IsZero() {
				f.Written = e.Written.UTC().Format(time.RFC3339)
			}
			all = append(all, f)
		}
	}
	return all
}

func quoted(text string) string {
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(raw.String())
}

func TestJSONOfSeveralLines(t *testing.T) {
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(padded), "", "  "))
	item := `{"level":"Metadata","auditID":"1"}`
	withKind := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1"}`
	for name, test := range map[string]struct {
		log  string
		want []string
	}{
		"indented":                   {indented.String() + "\n" + event + "\n" + indented.String(), []string{indented.String(), event, indented.String()}},
		"an array on one line":       {"[" + event + "," + padded + "]", []string{event, padded}},
		"an array, a line each":      {"[\n" + event + ",\n" + padded + "\n]\n", []string{event, padded}},
		"an array with commas first": {"[ " + event + "\n, " + padded + "\n]\n", []string{event, padded}},
		"an array that is indented":  {"[\n" + indented.String() + ",\n" + indented.String() + "\n]", []string{indented.String(), indented.String()}},
		"arrays, one after another":  {"[" + event + "]\n[" + padded + "]", []string{event, padded}},
		"a list, whose items have no kind": {`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[` + item + "," + item + "]}",
			[]string{withKind, withKind}},
		"a list that is indented":                                  {"{\n \"kind\": \"EventList\",\n \"apiVersion\": \"audit.k8s.io/v1\",\n \"items\": [\n  " + item + "\n ]\n}\n", []string{withKind}},
		"a list in a message":                                      {`{"message":` + quoted(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[`+item+`]}`) + `}`, []string{withKind}},
		"two objects on a line":                                    {event + " " + padded, []string{event, padded}},
		"an object that is cut off, and one that is whole":         {event[:60] + "\n" + event, []string{event[:60], event}},
		"one that is cut off after a value, and one that is whole": {event[:46] + "\n2025-03-07T09:26:42Z stdout F " + event, []string{event[:46], event}},
	} {
		t.Run(name, func(t *testing.T) {
			var texts []string
			for _, f := range wanted(read(t, test.log)) {
				texts = append(texts, strings.TrimSpace(f.Text))
			}
			assert.Equal(t, test.want, texts)
		})
	}
}

func TestAFieldThatKeepsTheOriginalCountsOnce(t *testing.T) {
	log := `{"log_processed":` + padded + `,"log":` + quoted(padded) + `,"message":` + quoted(padded) + `}`
	assert.Len(t, wanted(read(t, log)), 1)
}

func TestWhatEntriesAre(t *testing.T) {
	for text, want := range map[string]Kind{
		tracing: KindLine, "E0307 09:26:41.511983       1 x.go:1] \"HTTP failed\"": KindLine, "2025-03-07T09:26:42Z stderr F " + tracing: KindLine,
		`{"ts":1.0,"caller":"a.go:1","msg":"Started","v":0}`: KindLine, "_PID=1": KindLine,
		"plain text": KindOther, `{"kind":"Pod","apiVersion":"v1"}`: KindOther, "{": KindOther, "[": KindOther, "[]": KindOther, `{"a":[[[1]]],"b":"HTTP"}`: KindOther,
		`{"kind":"Event","apiVersion":"v1","message":"HTTP probe failed"}`: KindOther,
		event: KindEvent, event[:90]: KindEvent, `{"properties":{"log":` + quoted(event)[:90]: KindEvent,
		request: KindRequest, request[:90]: KindRequest, asJSON: KindRequest, asJSON[:80]: KindRequest,
	} {
		entries := read(t, text)
		require.Len(t, entries, 1, text)
		assert.Equal(t, want, entries[0].Kind, text)
		assert.Equal(t, 1, entries[0].Number)
	}
	assert.Empty(t, read(t, "\n \n\t\n"))
	assert.Equal(t, []found{{KindRequest, request, "", ""}}, wanted(read(t, "I0307 09:26:40.000000       1 pipe.go:1] "+request)), "a line of klog within another")
}

func TestEntriesHaveTheNumberOfTheirFirstLine(t *testing.T) {
	var numbers []int
	for _, e := range read(t, "\n"+event+"\n{\n \"a\": 1\n}\n\ntext\n["+event+",\n"+event+"]") {
		numbers = append(numbers, e.Number)
	}
	assert.Equal(t, []int{2, 3, 7, 8, 9}, numbers)
}

func TestAnEntryOfParts(t *testing.T) {
	const cri = "2025-03-07T09:26:42Z "
	t.Run("streams are apart", func(t *testing.T) {
		log := cri + "stdout P " + event[:70] + "\n" + cri + "stderr P " + request[:40] + "\n" + cri + "stdout F " + event[70:] + "\n" + cri + "stderr F " + request[40:]
		assert.Equal(t, []found{{KindEvent, event, "2025-03-07T09:26:42Z", ""}, {KindRequest, request, "2025-03-07T09:26:42Z", ""}}, wanted(read(t, log)))
	})
	t.Run("the last part is missing", func(t *testing.T) {
		assert.Equal(t, []found{{KindEvent, event[:90], "", ""}}, wanted(read(t, cri+"stdout P "+event[:90])))
	})
	t.Run("Docker divides long lines", func(t *testing.T) {
		long := strings.Replace(padded, "{bob", strings.Repeat("b", 40_000), 1)
		var log strings.Builder
		for rest := long + "\n"; rest != ""; {
			n := min(len(rest), dockerPart)
			log.WriteString(`{"log":` + quoted(rest[:n]) + `,"stream":"stdout","time":"2025-03-07T09:26:42Z"}` + "\n")
			rest = rest[n:]
		}
		require.Equal(t, 3, strings.Count(log.String(), "\n"))
		assert.Equal(t, []found{{KindEvent, long, "2025-03-07T09:26:42Z", ""}}, wanted(read(t, log.String())))
	})
}

func TestEntriesThatAreTooLongAreReported(t *testing.T) {
	for _, start := range []string{`{"kind":"Event","a":"`, "text "} {
		entries := read(t, start+strings.Repeat("x", MaxEntry)+"\n"+event)
		require.Len(t, entries, 2)
		assert.True(t, entries[0].TooLong)
		assert.Equal(t, []found{{KindEvent, event, "", ""}}, wanted(entries))
	}
}

func TestErrors(t *testing.T) {
	enough, broken := errors.New("enough"), errors.New("input/output error")
	for _, log := range []string{event, "[" + event + "," + event, "2025-03-07T09:26:42Z stdout P " + event} {
		calls := 0
		_, err := ReadEntries(strings.NewReader(log), func(Entry) error { calls++; return enough })
		require.ErrorIs(t, err, enough)
		assert.Equal(t, 1, calls)
	}
	_, err := ReadEntries(iotest.ErrReader(broken), func(Entry) error { return nil })
	require.ErrorIs(t, err, broken)
	truncated, err := ReadEntries(iotest.DataErrReader(&failing{event, broken}), func(Entry) error { return nil })
	require.NoError(t, err)
	require.ErrorIs(t, truncated, broken)
}

type failing struct {
	text string
	err  error
}

func (f *failing) Read(into []byte) (int, error) {
	n := copy(into, f.text)
	if f.text = f.text[n:]; n == 0 {
		return 0, f.err
	}
	return n, nil
}

// Inputs of operators, retyped. Each has three requests of an audit log, or the entries named.
func TestCases(t *testing.T) {
	for name, want := range map[string][]Kind{
		"aks.log": {KindEvent, KindEvent, KindEvent}, "eks-s3.log": {KindEvent, KindEvent, KindEvent}, "oc-node-logs.log": {KindEvent, KindEvent, KindEvent},
		"stdout-mixed-cri.log": {KindRequest, KindEvent, KindEvent, KindEvent, KindRequest}, "timestamps.log": {KindRequest, KindRequest},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			var kinds []Kind
			for _, e := range read(t, string(log)) {
				kinds = append(kinds, e.Kind)
			}
			assert.Equal(t, want, kinds)
		})
	}
}

func FuzzReadNeverPanics(f *testing.F) {
	for _, transport := range transports() {
		f.Add(transport.wrap(event) + "\n" + transport.wrap(request))
	}
	f.Fuzz(func(t *testing.T, log string) {
		_, _ = ReadEntries(strings.NewReader(log), func(e Entry) error {
			if e.Number < 1 || len(e.Text) == 0 {
				t.Errorf("entry %+v", e)
			}
			return nil
		})
	})
}
