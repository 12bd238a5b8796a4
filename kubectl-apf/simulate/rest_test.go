package simulate

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// weekly is two requests with a week between them.
type weekly struct{ read int }

func (w *weekly) Read(into *trace.Request) error {
	if w.read++; w.read > 2 {
		return io.EOF
	}
	*into = trace.Request{
		Arrival: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(time.Duration(w.read) * trace.MaxGap), User: "u", Groups: []string{"system:authenticated"},
		Verb: "get", APIVersion: "v1", Resource: "pods", Execution: &metav1.Duration{Duration: time.Second},
	}
	return nil
}

func (*weekly) Header() trace.Header { return trace.Header{} }
func (*weekly) Close() error         { return nil }

// Seats are divided again each 10 s, but not 60,480 times in a week when nothing happens.
func TestSilenceTakesNoTime(t *testing.T) {
	for _, engine := range []EngineKind{Library, APF} {
		c, err := configuration.BuiltIn("1.33")
		require.NoError(t, err)
		o, err := Options{Engine: engine, Open: func() (Source, error) { return &weekly{}, nil }}.complete()
		require.NoError(t, err)
		s, err := o.simulate(context.Background(), Candidate{Configuration: c}, Candidate{Configuration: c})
		require.NoError(t, err)
		assert.Less(t, s.steps, 1000, engine)
		assert.EqualValues(t, 2, s.result().Requests)
		assert.InDelta(t, trace.MaxGap.Seconds(), s.result().Seconds, 60)
	}
}
