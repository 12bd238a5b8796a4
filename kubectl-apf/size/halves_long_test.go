//go:build long

package size_test

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// The same with both engines and all shapes.
func TestASizeFitsTheOtherHalfOfAllShapes(t *testing.T) {
	short, long := shapes()
	for i, shape := range slices.Concat(short, long) {
		for _, engine := range []simulate.EngineKind{simulate.APF, simulate.Library} {
			t.Run(string(engine)+" "+shape.name, func(t *testing.T) {
				fitsTheOtherHalf(t, traffic(uint64(i+1), 5*time.Minute, shape.clients...), engine)
			})
		}
	}
}

// The same with the requests that a kube-apiserver 1.33 logged.
func TestASizeFitsTheOtherHalfOfARecordedTrace(t *testing.T) {
	f, err := trace.Open(t.Context(), filepath.Join("..", "..", "docs", "samples", "controllers.trace.zst"))
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // it was only read
	var r requests
	for {
		var one trace.Request
		err := f.Read(&one)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		one.Replica = ""
		r = append(r, one)
	}
	begun := slices.IndexFunc(r, func(one trace.Request) bool { return one.Arrival.Sub(r[0].Arrival) > 5*time.Second }) // its clients start before
	fitsTheOtherHalf(t, r[begun:], simulate.Library)
}
