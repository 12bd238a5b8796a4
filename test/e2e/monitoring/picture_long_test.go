//go:build long

package monitoring

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/picture"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

var updatePicture = flag.Bool("update-picture", false, "draw docs/dashboard.svg")

// draw draws the dashboard. With -update-picture it waits for three minutes of samples first.
func (s *behind) draw(t *testing.T) {
	t.Helper()
	const shown = 3 * time.Minute
	if *updatePicture {
		eventually.Holds(t, "there are samples of three minutes", func(a *eventually.Attempt) {
			samples, err := s.prometheus.Query(a.Context(), `up{job="`+serverJob+`"} offset 3m`)
			require.NoError(a, err)
			require.NotEmpty(a, samples)
		})
	}
	now := time.Now()
	svg, err := picture.Draw(t.Context(), picture.Source{
		URL: s.prometheus.URL, From: now.Add(-shown), To: now, Step: 4 * time.Second, RateInterval: 20 * time.Second,
	}, mixin.Rows(), "Three minutes of a server and of the kube-apiserver in front, while a crowd sends too much and two webhooks cannot be called. Drawn by make dashboard-picture.")
	require.NoError(t, err)
	require.NotContains(t, string(svg), "no data")
	if *updatePicture {
		root, err := binaries.Root()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "dashboard.svg"), svg, 0o644))
	}
}
