//go:build long

package judges

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var large = flag.Bool("large", false, "make attacks in their large sizes, which take minutes")

// TestHostileClients makes every attack on one server. A small case takes one to four seconds.
func TestHostileClients(t *testing.T) {
	server := StartOurs(t)
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			size := Size{Count: c.Small, Hold: time.Second}
			if *large {
				size = Size{Count: c.Large, Hold: 35 * time.Second} // longer than the server waits for headers
			}
			figures, err := server.Face(t.Context(), c, size)
			require.NoError(t, err)
			assert.NoError(t, Judge(c, figures))
			t.Log(figures)
		})
	}
}
