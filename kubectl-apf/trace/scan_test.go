package trace

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// full is a request with all fields.
func full() Request {
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	return Request{
		Arrival: time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC), Replica: "a", User: "alice", Groups: []string{"devs", "system:authenticated"},
		Verb: "list", APIGroup: "apps", APIVersion: "v1", Resource: "deployments", Subresource: "scale", Namespace: "shop", Name: "web", Path: "/p",
		List:   &ListOptions{Limit: 500, Continue: true, LabelSelector: "a=b", FieldSelector: "c=d", ResourceVersion: "0", ResourceVersionMatch: "Exact", SendInitialEvents: new(true)},
		Status: 200, Latency: d(time.Second), Execution: d(1500 * time.Microsecond), Wait: d(0),
		Seats:      &Seats{Initial: 10, Final: 2, AdditionalLatency: metav1.Duration{Duration: 5 * time.Millisecond}},
		FlowSchema: "global-default", PriorityLevel: "global-default", Rejected: "queue-full", Client: "kubectl/v1",
	}
}

// The scanner decodes what writers write, and decodes nothing differently.
func TestTheScannerDecodesAsEncodingJSONDoes(t *testing.T) {
	all, err := json.Marshal(full())
	require.NoError(t, err)
	for line, scanned := range map[string]bool{
		string(all): true,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/readyz"}`:                                     true,
		`{"arrival":"2026-11-22T10:00:00+02:00","verb":"get","path":"/","groups":["a"],"groups":["b"]}`:        true,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","resource":"pods","list":{"sendInitialEvents":false}}`: true,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","resource":"pods","groups":[]}`:                        false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","resource":"pods","list":{}}`:                          false,
		`{"arrival":"2026-11-22T10:00:00Z", "verb":"get","path":"/"}`:                                          false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/\u003c"}`:                                     false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/ü"}`:                                          false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","status":01}`:                               false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","status":-1}`:                               false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","status":null}`:                             false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","wait":"1"}`:                                false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","wait":5}`:                                  false,
		`{"arrival":"2026-11-22 10:00:00","verb":"get","path":"/"}`:                                            false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","color":"red"}`:                             false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/"}}`:                                          false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/"`:                                            false,
		`{"verb":"get","list":{"limit":5},"list":{"continue":true},"seats":{"initial":1},"seats":{"final":2}}`: true,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","groups":["a]b","c"]}`:                      true,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","groups":["a"["b"]}`:                        false,
		`{"arrival":"2026-11-22T10:00:00Z","verb":"get","path":"/","groups":["a",]}`:                           false,
		`{"Verb":"get"}`: false,
		`{}`:             false,
		`[]`:             false,
		`{"seats":{"initial":1,"width":2},"verb":"get"}`: false,
	} {
		t.Run(line, func(t *testing.T) {
			s := newScanner()
			var fast, slow Request
			got := s.request([]byte(line), &fast)
			assert.Equal(t, scanned, got)
			if got {
				require.NoError(t, decode([]byte(line), &slow))
				assert.Equal(t, slow, fast)
			}
		})
	}
}

func TestRequestsShareTextsAndGroups(t *testing.T) {
	line, err := json.Marshal(full())
	require.NoError(t, err)
	s := newScanner()
	var a, b Request
	require.True(t, s.request(line, &a))
	line, err = json.Marshal(full())
	require.NoError(t, err)
	require.True(t, s.request(line, &b))
	assert.Same(t, &a.Groups[0], &b.Groups[0])
	for _, group := range []string{"a]b", "a]c"} {
		var r Request
		require.True(t, s.request([]byte(`{"groups":["`+group+`"]}`), &r))
		assert.Equal(t, []string{group}, r.Groups)
	}
	assert.Equal(t, full(), b)
}

func FuzzScanner(f *testing.F) {
	line, err := json.Marshal(full())
	require.NoError(f, err)
	f.Add(line)
	f.Fuzz(func(t *testing.T, line []byte) {
		s := newScanner()
		var fast, slow Request
		if !s.request(line, &fast) {
			return
		}
		if err := decode(line, &slow); err != nil {
			t.Fatalf("%q is decoded, but invalid: %v", line, err)
		}
		assert.Equal(t, slow, fast)
	})
}
