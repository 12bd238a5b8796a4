//go:build long

package judges

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostileClients makes every attack, small, on one server. A case takes one to four
// seconds.
func TestHostileClients(t *testing.T) {
	server := StartOurs(t)
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			figures, err := server.Face(t.Context(), c, Size{Count: c.Small, Hold: time.Second}, 100*time.Millisecond)
			require.NoError(t, err)
			assert.NoError(t, Judge(c, figures))
			t.Logf("answers %v, %v, the mouse read %d times, p99 %v, quiet %v",
				figures.Answers, figures, len(figures.During), figures.During.Quantile(0.99), figures.Quiet.Quantile(0.99))
		})
	}
}
