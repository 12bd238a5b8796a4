package monitoring

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func panels(t *testing.T) []Panel {
	t.Helper()
	all, err := Dashboard()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestDashboardHasEveryPanelAtAPlaceOfItsOwn(t *testing.T) {
	ids, places := map[int]bool{}, map[[2]int]bool{}
	for _, panel := range panels(t) {
		assert.False(t, ids[panel.ID], "%s has the number of another panel", panel.Title)
		ids[panel.ID] = true
		at := panel.GridPos
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				require.False(t, places[[2]int{x, y}], "%s overlaps another panel", panel.Title)
				require.Less(t, x, 24) // the grid of Grafana
				places[[2]int{x, y}] = true
			}
		}
		if panel.Type != "row" {
			assert.NotEmpty(t, panel.Description, panel.Title)
			assert.NotEmpty(t, panel.Targets, panel.Title)
		}
	}
}

func TestDashboardShowsWhatAlertsAreAbout(t *testing.T) {
	shown := dashboardMetrics(t)
	for _, name := range ruleMetrics(t) {
		assert.Contains(t, shown, name, "an alert is about it")
	}
}
