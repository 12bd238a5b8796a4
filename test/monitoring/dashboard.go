package monitoring

import "encoding/json"

// Panel is a panel of the dashboard, or the heading of a row of panels.
type Panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct{ Expr string }
}

// Dashboard returns the panels of artifacts/monitoring/dashboard.json. Expressions have the
// variables $job, $instance and $priority_level, regular expressions, and $__rate_interval.
func Dashboard() ([]Panel, error) {
	content, err := artifact("dashboard.json")
	if err != nil {
		return nil, err
	}
	var board struct{ Panels []Panel }
	return board.Panels, json.Unmarshal(content, &board)
}
