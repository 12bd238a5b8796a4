package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzFieldsAreThoseOfEncodingJSON compares with encoding/json, for every valid object.
func FuzzFieldsAreThoseOfEncodingJSON(f *testing.F) {
	for _, seed := range []string{event, padded, asJSON, `{}`, `{ "a" : [ {"b":"}\\\""} , 1.5e3 ], "a" : null ,"\u0063":"\u0064"}` + " ", `{"a":"` + "\xff" + `","b":tru}`, `{"a":1`, `{"a"}`, `{1:2}`} {
		f.Add(seed)
	}
	many := `{"":0`
	for i := range 2 * maxFields {
		many += fmt.Sprintf(`,"%d":0`, i)
	}
	f.Add(many + `}`)
	f.Fuzz(func(t *testing.T, text string) {
		fields := fieldsOf([]byte(text))
		var want map[string]json.RawMessage
		if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &want) != nil {
			return // whatever it is, no panic
		}
		if len(want) > maxFields {
			require.Nil(t, fields)
			return
		}
		require.Len(t, fields, len(want))
		for name, value := range want {
			require.Equal(t, string(value), string(fields[name]), name)
			var said string
			if json.Unmarshal(value, &said) == nil {
				require.Equal(t, said, textOf(fields[name]))
			}
		}
	})
}

// The objects of request and response are the bulk of an event, and may have megabytes.
func TestObjectsOfAnEventAreNotDecoded(t *testing.T) {
	want, err := requestOfEvent([]byte(event))
	require.NoError(t, err)
	for _, object := range []string{`{"kind":"ConfigMap","data":{"a":"}\\\"{","b":[{},[]]}}`, `{"a":nonsense}`} {
		with := strings.Replace(event, `"verb"`, `"requestObject":`+object+`, "responseObject" : `+object+`,"verb"`, 1)
		got, err := requestOfEvent([]byte(with))
		require.NoError(t, err, object)
		assert.Equal(t, want, got)
		assert.NotContains(t, string(eventIn([]byte(with))), "bject\":{")
	}
	_, err = requestOfEvent([]byte(`{"other":` + strings.Repeat("[", 1<<20)))
	require.ErrorContains(t, err, "is no JSON of an audit event")
}

// BenchmarkEventsOfMegabytes is the time of a log whose events have objects of megabytes, beside the time that
// encoding/json needs to check the same bytes.
func BenchmarkEventsOfMegabytes(b *testing.B) {
	object := `{"items":[` + strings.Repeat(`{"metadata":{"name":"a-\"b\"","labels":{"app":"web"}},"spec":{"replicas":3,"paused":false}},`, 40_000) + `{}]}`
	large := strings.Replace(event, `"verb"`, `"requestObject":`+object+`,"verb"`, 1)
	escaped, err := json.Marshal(large)
	require.NoError(b, err)
	sorted := `{"apiVersion":"audit.k8s.io/v1","kind":"Event"` + strings.TrimPrefix(large, `{"kind":"Event","apiVersion":"audit.k8s.io/v1"`)
	var names strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&names, `,"%d":1`, i)
	}
	for name, line := range map[string]string{
		"plain": large, "sorted": sorted, "in an envelope": fmt.Sprintf(`{"log":%s,"other":1}`, escaped), "after a prefix": "kube-apiserver-a kube-apiserver " + sorted,
		"cut off": "x " + large[:len(large)-1000], "other JSON": `{"a":` + object + `}`, "other text": strings.Repeat("x { I0307 y ", 300_000),
		"HTTP": strings.Repeat(`HTTP {" [ `, 300_000), "braces": "HTTP " + strings.Repeat("{", 3_000_000), "columns": strings.Repeat(`"a""b",`, 400_000) + "HTTP",
		"fields": `{"HTTP":1` + strings.Repeat(`,"a":1`, 400_000) + `}`, "names": `{"HTTP":1` + names.String() + `}`,
	} {
		text := []byte(strings.Repeat(line+"\n", 10))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, _ = ReadEvents("log", bytes.NewReader(text), func(*Request) error { return nil })
			}
		})
	}
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(large)))
		for b.Loop() {
			json.Valid([]byte(large))
		}
	})
}
