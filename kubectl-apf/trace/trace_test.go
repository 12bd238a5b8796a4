package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

const (
	headerLine = `{"kind":"Trace","apiVersion":"trace.flowcontrol-apiserver.io/v1alpha1","source":"audit-log"}` + "\n"
	firstLine  = `{"arrival":"2026-11-22T10:00:00Z","user":"alice","verb":"get","path":"/readyz"}` + "\n"
	secondLine = `{"arrival":"2026-11-22T10:00:01Z","user":"bob","verb":"list","apiVersion":"v1","resource":"pods"}` + "\n"
)

var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// requests are two requests. The first has every field that a request for a resource can have.
func requests() []Request {
	return []Request{
		{
			Arrival: start.Add(123456789), Replica: "a", User: "system:serviceaccount:ci:builder",
			Groups: []string{"system:serviceaccounts", "system:authenticated"},
			Verb:   "list", APIGroup: "apps", APIVersion: "v1", Resource: "deployments", Subresource: "scale",
			Namespace: "ci", Name: `web "<é>" \ `,
			List: &ListOptions{
				Limit: 500, Continue: true, LabelSelector: "a=b", FieldSelector: "metadata.name=web",
				ResourceVersion: "7", ResourceVersionMatch: "Exact", SendInitialEvents: new(false),
			},
			Status: 429, Latency: duration("1.25s"), Execution: duration("0s"), Wait: duration("250ms"),
			Seats:      &Seats{Initial: 3, Final: 2, AdditionalLatency: *duration("5ms")},
			FlowSchema: "service-accounts", PriorityLevel: "workload-low", Rejected: "time-out", Client: "builder/v1",
		},
		{Arrival: start.Add(time.Second), User: "system:anonymous", Verb: "get", Path: "/readyz", Status: 200},
	}
}

func duration(text string) *metav1.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return &metav1.Duration{Duration: d}
}

func readAll(in io.Reader) (Header, []Request, error) {
	r, err := NewReader("a.trace", in)
	if err != nil {
		return Header{}, nil, err
	}
	defer r.Close() //nolint:errcheck // releases memory
	var all []Request
	for {
		var one Request
		err := r.Read(&one)
		if errors.Is(err, io.EOF) {
			return r.Header(), all, nil
		}
		if err != nil {
			return r.Header(), all, err
		}
		all = append(all, one)
	}
}

func TestRoundTrip(t *testing.T) {
	header := Header{
		Kind: Kind, APIVersion: APIVersion, Source: SourceJoined, Requests: 2,
		Start: new(start), End: new(start.Add(time.Second)), Replicas: []string{"a"}, Seed: 7,
		Stored:  map[string]Stored{"deployments.apps": {Objects: 5000, Bytes: 2000}},
		LeftOut: LeftOut{Requests: new(0.5), Seconds: new(0.25), WithoutWait: 0.5, WaitSeconds: 0.1, WithoutExecution: 0.5, WithoutSeats: 0.5, WithoutLevel: 0.5, WithoutUser: 0.5, WithoutGroups: 0.5, Notes: []string{"A note."}},
	}
	for name, magic := range map[string]string{"plain.trace": `{"kind"`, "gzip.trace.gz": "\x1f\x8b", "zstd.trace.zst": "\x28\xb5\x2f\xfd"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			w, err := Create(path, header)
			require.NoError(t, err)
			want := requests()
			for i := range want {
				require.NoError(t, w.Write(&want[i]))
			}
			require.NoError(t, w.Commit())
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(text), magic), "the ending decides the compression")

			got, all, err := readAll(bytes.NewReader(text))
			require.NoError(t, err)
			assert.Equal(t, header, got)
			assert.Equal(t, want, all)
		})
	}
}

func TestAttributes(t *testing.T) {
	all := requests()
	assert.Equal(t, flow.Attributes{
		User: "system:serviceaccount:ci:builder", Groups: []string{"system:serviceaccounts", "system:authenticated"},
		Verb: "list", IsResourceRequest: true, APIGroup: "apps", APIVersion: "v1", Resource: "deployments",
		Subresource: "scale", Namespace: "ci", Name: `web "<é>" \ `,
	}, all[0].Attributes())
	assert.Equal(t, flow.Attributes{User: "system:anonymous", Verb: "get", Path: "/readyz"}, all[1].Attributes())
	assert.Equal(t, estimate.Read{Named: true, Limit: 500, Continue: "continue", ResourceVersion: "7", ResourceVersionMatch: "Exact", SendInitialEvents: new(false), Selects: true}, all[0].Read())
	watch := Request{Verb: "watch", List: &ListOptions{FieldSelector: "a=b"}}
	assert.Equal(t, estimate.Read{Watch: true, Selects: true}, watch.Read())
}

func TestWhatIsKnownOfAWait(t *testing.T) {
	const counts = 500 * time.Millisecond
	for _, test := range []struct {
		request Request
		wait    time.Duration
		known   bool
	}{
		{Request{Verb: "get", Wait: duration("1s"), Latency: duration("2s")}, time.Second, true},
		{Request{Verb: "get", Latency: duration("499ms")}, 0, true},
		{Request{Verb: "get", Latency: duration("500ms")}, 0, false},
		{Request{Verb: "watch", Latency: duration("1ms")}, 0, false},
		{Request{Verb: "get"}, 0, false},
	} {
		wait, known := test.request.Waited(counts)
		assert.Equal(t, test.wait, wait)
		assert.Equal(t, test.known, known)
	}
}

func TestInvalidTraces(t *testing.T) {
	replace := func(old, by string) string { return strings.Replace(headerLine+firstLine+secondLine, old, by, 1) }
	for _, test := range []struct {
		name, trace, want string
	}{
		{"an empty file", "", "a.trace: the trace is empty: it has no header"},
		{"a header alone", headerLine, "a.trace: the trace is empty: it has a header and no requests"},
		{"another version", replace("v1alpha1", "v2"), `a.trace: line 1 has the apiVersion "trace.flowcontrol-apiserver.io/v2", must be "trace.flowcontrol-apiserver.io/v1alpha1"`},
		{"another version with other fields", replace(`v1alpha1"`, `v2","new":1`), `a.trace: line 1 has the apiVersion`},
		{"an audit log", `{"kind":"Event","apiVersion":"audit.k8s.io/v1"}` + "\n", `a.trace: line 1 has the kind "Event", must be "Trace": this is not a trace`},
		{"no JSON", "I1122 10:00:00 httplog.go\n", "a.trace: line 1 is not a header of a trace"},
		{"a header with an unknown field", replace(`"source"`, `"sauce"`), `a.trace: line 1 is invalid: json: unknown field "sauce"`},
		{"a negative number of requests", replace(`"source"`, `"requests":-1,"source"`), "a.trace: line 1 has -1 requests"},
		{"a trace that is cut off within a line", strings.TrimSuffix(replace("", ""), "}\n"), "a.trace: line 3 is cut off: it has no line break"},
		{"a trace that is cut off between lines", replace(`"source"`, `"requests":3,"source"`), "a.trace: the trace is cut off after line 3: it has 2 requests, line 1 says 3"},
		{"more requests than the header says", replace(`"source"`, `"requests":1,"source"`), "it has 2 requests, line 1 says 1"},
		{"a trace out of order", replace("10:00:01", "09:59:59"), "a.trace: line 3 arrives at 2026-11-22T09:59:59Z, 1s before the request of the line above"},
		{"a clock that jumps", replace("2026-11-22T10:00:01", "2026-11-29T10:00:01"), "a.trace: line 3 arrives at 2026-11-29T10:00:01Z, 168h0m1s after the request of the line above, must be at most 168h0m0s: a clock jumped"},
		{"an empty line", replace("\n{\"arrival\"", "\n\n{\"arrival\""), "a.trace: line 2 is empty"},
		{"an unknown field", replace(`"user":"bob"`, `"owner":"bob"`), `a.trace: line 3 is invalid: json: unknown field "owner"`},
		{"two objects in a line", replace("}\n{\"arrival\":\"2026-11-22T10:00:01", "}{\"arrival\":\"2026-11-22T10:00:01"), "a.trace: line 2 has "},
		{"no arrival", replace(`"arrival":"2026-11-22T10:00:00Z",`, ""), "a.trace: line 2 has no arrival"},
		{"an arrival that is no time", replace("2026-11-22T10:00:00Z", "yesterday"), "a.trace: line 2 is invalid"},
		{"no verb", replace(`"verb":"get",`, ""), "a.trace: line 2 has no verb"},
		{"neither resource nor path", replace(`,"path":"/readyz"`, ""), `a.trace: line 2 has the resource "" and the path "", must have one of them`},
		{"resource and path", replace(`"path"`, `"resource":"pods","path"`), `a.trace: line 2 has the resource "pods" and the path "/readyz"`},
		{"a namespace of no resource", replace(`"path"`, `"namespace":"a","path"`), "a.trace: line 2 has a subresource, namespace, name or apiGroup, and no resource"},
		{"a status that is none", replace(`"path"`, `"status":1000,"path"`), "a.trace: line 2 has the status 1000, must be from 100 to 599"},
		{"a negative wait", replace(`"path"`, `"wait":"-1s","path"`), "a.trace: line 2 has the wait -1s, must be from 0 to 744h0m0s"},
		{"an execution of centuries", replace(`"path"`, `"execution":"2562047h","path"`), "a.trace: line 2 has the execution 2562047h0m0s, must be from 0 to 744h0m0s"},
		{"seats that nobody has", replace(`"path"`, `"seats":{"initial":1048577},"path"`), "a.trace: line 2 has 1048577 seats, must be at most 1048576"},
		{"a negative latency", replace(`"path"`, `"latency":"-1s","path"`), "a.trace: line 2 has the latency -1s"},
		{"a negative execution", replace(`"path"`, `"execution":"-1s","path"`), "a.trace: line 2 has the execution -1s"},
		{"a negative additional latency", replace(`"path"`, `"seats":{"initial":1,"additionalLatency":"-1s"},"path"`), "a.trace: line 2 has the additional latency -1s"},
		{"negative seats", replace(`"path"`, `"seats":{"initial":-1},"path"`), "a.trace: line 2 is invalid"},
		{"a line that is too long", replace("alice", strings.Repeat("a", maxLine+bufferSize)), "a.trace: line 2 is longer than 1048576 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readAll(strings.NewReader(test.trace))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestLongLinesAreRead(t *testing.T) {
	long := strings.Repeat("a", maxLine-1000)
	_, all, err := readAll(strings.NewReader(headerLine + strings.Replace(firstLine, "alice", long, 1) + secondLine))
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, long, all[0].User)
	assert.Equal(t, "bob", all[1].User)
}

func TestCompressedTraceThatIsCutOff(t *testing.T) {
	text := headerLine + firstLine + secondLine
	var zipped, packed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := io.WriteString(z, text)
	require.NoError(t, errors.Join(err, z.Flush()))
	p, err := zstd.NewWriter(&packed)
	require.NoError(t, err)
	_, err = io.WriteString(p, text)
	require.NoError(t, errors.Join(err, p.Flush()))
	for name, cut := range map[string]*bytes.Buffer{"gzip": &zipped, "zstd": &packed} {
		t.Run(name, func(t *testing.T) {
			_, all, err := readAll(cut)
			require.ErrorContains(t, err, "a.trace: line 4 is cut off: unexpected EOF")
			assert.Len(t, all, 2)
		})
	}
	_, _, err = readAll(strings.NewReader("\x1f\x8b" + "no header"))
	require.ErrorContains(t, err, "a.trace: gzip: invalid header")
}

func TestErrorIsReturnedAgain(t *testing.T) {
	r, err := NewReader("a.trace", strings.NewReader(headerLine+"{}\n"+firstLine))
	require.NoError(t, err)
	var one Request
	want := r.Read(&one)
	var wrong *LineError
	require.ErrorAs(t, want, &wrong)
	assert.Equal(t, int64(2), wrong.Line)
	assert.Equal(t, want, r.Read(&one))
	assert.Equal(t, int64(2), r.Line())
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.trace")
	_, err := Open(t.Context(), path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("{}\n"), 0o600))
	_, err = Open(t.Context(), path)
	require.ErrorContains(t, err, path+": line 1 has the kind")
	require.NoError(t, os.WriteFile(path, []byte(headerLine+firstLine), 0o600))
	f, err := Open(t.Context(), path)
	require.NoError(t, err)
	var one Request
	require.NoError(t, f.Read(&one))
	assert.Equal(t, "alice", one.User)
	require.NoError(t, f.Close())
}

func TestNothingIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.trace")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err := Create(path, Header{})
	require.ErrorIs(t, err, fs.ErrExist)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

func TestNothingIsLeftOfATraceThatFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		header Header
		end    func(*NewFile) error
		want   string
	}{
		{"one that is aborted", Header{}, func(f *NewFile) error { f.Abort(); return errors.New("aborted") }, "aborted"},
		{"one with fewer requests than its header says", Header{Requests: 2}, (*NewFile).Commit, "the trace has 1 requests, its header says 2"},
		{"one with an invalid header", Header{Requests: -1}, nil, "the header has -1 requests"},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			f, err := Create(filepath.Join(directory, "a.trace"), test.header)
			if test.end != nil {
				require.NoError(t, err)
				require.NoError(t, f.Write(&requests()[0]))
				err = test.end(f)
			}
			require.ErrorContains(t, err, test.want)
			left, err := os.ReadDir(directory)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestWriterRejectsWhatAReaderRejects(t *testing.T) {
	w, err := NewWriter(io.Discard, Header{})
	require.NoError(t, err)
	all := requests()
	require.NoError(t, w.Write(&all[1]))
	require.ErrorContains(t, w.Write(&all[0]), "request 2 arrives at 2026-11-22T10:00:00.123456789Z, 876.543211ms before")
	require.ErrorContains(t, w.Write(&Request{Arrival: start}), "request 2 has no verb")
	late := all[1]
	late.Arrival = late.Arrival.Add(MaxGap)
	require.NoError(t, w.Write(&late), "a week of silence fits")
	late.Arrival = late.Arrival.Add(MaxGap + 1)
	require.ErrorContains(t, w.Write(&late), "a clock jumped, or requests are missing")
	late.Arrival = late.Arrival.Add(-MaxGap - 1)
	for range 3 {
		late.Arrival = late.Arrival.Add(MaxGap)
		require.NoError(t, w.Write(&late))
	}
	late.Arrival = late.Arrival.Add(MaxGap)
	require.ErrorContains(t, w.Write(&late), "after the first request, must be at most 744h0m0s")
}
