//go:build long

package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestSeatsOfAProcessor measures what the default of --flow-control-seats costs and gains where the
// processors are the bottleneck: sample-apiserver lists 2,000 objects, 2.3 MB, for 100 connections, and mice get one. It
// prints a row for each number of seats a processor, and one without flow control.
func TestSeatsOfAProcessor(t *testing.T) {
	s := sampleServer()
	s.backend = traffic.Backend{}
	s.elephant = strings.TrimSuffix(s.mouse, "mouse")
	s.fill = func(l *site) {
		var objects strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&objects, "---\napiVersion: wardle.example.com/v1alpha1\nkind: Flunder\nmetadata: {namespace: %s, name: f-%d, annotations: {padding: %s}}\n", namespace, i, strings.Repeat("x", 800))
		}
		l.apply(objects.String() + "---\napiVersion: wardle.example.com/v1alpha1\nkind: Flunder\nmetadata: {namespace: " + namespace + ", name: mouse}\n")
	}
	m, err := s.module()
	require.NoError(t, err)
	require.NoError(t, m.build(t.Context()))
	require.NoError(t, harness.Own(t.Context(), func(o *harness.Owner) {
		l := newSite(o, s)
		l.first(m)
		measure := func(name, program string, args ...string) {
			o.Within(func(o *harness.Owner) {
				_, ready := l.start(o, m.path(program), args...).awaitReady(o.Context(), patience)
				require.True(t, ready)
				l.awaitServed(o, s.mouse)
				t.Logf("%s: %v", name, l.contest(o, true))
			})
		}
		for range 2 {
			measure("without", plain, l.server.off...)
			for _, each := range []int{1, 2, 4, 8, 16} {
				measure(fmt.Sprintf("%d a processor", each), fair, fmt.Sprintf("--flow-control-seats=%d", each*runtime.GOMAXPROCS(0)))
			}
		}
	}))
}
