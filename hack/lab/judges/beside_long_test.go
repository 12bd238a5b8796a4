//go:build long

package judges

import (
	"cmp"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

var (
	update = flag.Bool("update-hostile", false, "write the figures into docs/evidence/reliability.md")
	share  = flag.Int("hostile-share", 1, "divide the sizes of the attacks by this number, on a slow machine")
)

// Lengths of the parts of a case.
const (
	// held is longer than both servers wait for headers.
	held = 35 * time.Second
	// calm is how long the mouse reads before an attack.
	calm = 3 * time.Second
)

// TestHostileClientsBesideKubeAPIServer makes every attack, large, on this server and on
// kube-apiserver. It takes about twenty minutes. This server is judged.
func TestHostileClientsBesideKubeAPIServer(t *testing.T) {
	ours, theirs := StartOurs(t), StartTheirs(t)
	var rows []Row
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			row := Row{Case: c, Size: max(c.Large / *share, c.Small)}
			row.Beside = cmp.Or(c.Beside, row.Size)
			figures, err := ours.Face(t.Context(), c, Size{Count: row.Size, Hold: held}, calm)
			require.NoError(t, err)
			assert.NoError(t, Judge(c, figures))
			row.Ours = *figures
			row.Theirs, err = theirs.Face(t.Context(), c, Size{Count: row.Beside, Hold: held}, calm)
			if err != nil {
				t.Logf("on kube-apiserver: %v", err)
			} else {
				t.Logf("this server: %v", figures)
				t.Logf("kube-apiserver: %v", row.Theirs)
				t.Logf("kube-apiserver answered %v; it would be judged: %v", row.Theirs.Answers, Judge(c, row.Theirs))
			}
			t.Log("\n" + Table([]Row{row}))
			rows = append(rows, row)
		})
	}
	if *update {
		text := fmt.Sprintf("A run on %s, on the loopback of one machine:\n\n%s", time.Now().UTC().Format(time.DateOnly), Table(rows))
		require.NoError(t, measurement.Publish("make hostile", "hostile", "docs/evidence/reliability.md", text))
	}
}
