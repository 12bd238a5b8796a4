//go:build long

package hostile

import (
	"cmp"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/document"
)

var update = flag.Bool("update-hostile", false, "write the figures into docs/reliability.md")

// Lengths of the parts of a case.
const (
	// held is longer than both servers wait for headers.
	held = 35 * time.Second
	// calm is how long the mouse reads before an attack.
	calm = 3 * time.Second
)

// TestHostileClientsBesideKubeAPIServer makes every attack, large, on this server and on
// kube-apiserver. It takes about fifteen minutes. This server is judged.
func TestHostileClientsBesideKubeAPIServer(t *testing.T) {
	ours, err := StartOurs(t)
	require.NoError(t, err)
	theirs, err := StartTheirs(t)
	require.NoError(t, err)
	var rows []Row
	for _, c := range Cases() {
		row := Row{Case: c}
		t.Run(c.Name, func(t *testing.T) {
			figures, err := ours.Face(t.Context(), c, Size{Count: c.Large, Hold: held}, calm)
			require.NoError(t, err)
			assert.NoError(t, Judge(c, figures))
			assert.NoError(t, ours.AwaitRest(t.Context(), figures.Before))
			row.Ours = *figures
			beside, err := theirs.Face(t.Context(), c, Size{Count: cmp.Or(c.Beside, c.Large), Hold: held}, calm)
			if err != nil {
				t.Logf("on kube-apiserver: %v", err)
				return
			}
			row.Theirs = beside
			t.Logf("kube-apiserver answered %v; it would be judged: %v", beside.Answers, Judge(c, beside))
		})
		if row.Ours.Answers != nil {
			rows = append(rows, row)
		}
	}
	table := Table(rows)
	t.Log("\n" + table)
	if *update {
		text := fmt.Sprintf("A run on %s, on the loopback of one machine:\n\n%s", time.Now().UTC().Format(time.DateOnly), table)
		require.NoError(t, document.PublishOf("go test -tags=long ./test/e2e/hostile -update-hostile", "hostile", "docs/reliability.md", text))
	}
}
