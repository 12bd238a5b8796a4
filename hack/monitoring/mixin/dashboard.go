package mixin

import (
	"bytes"
	"encoding/json"
)

// The grid of Grafana is 24 wide. Panels stand three in a line.
const (
	panelsInLine = 3
	panelWidth   = 24 / panelsInLine
	panelHeight  = 8
)

// The parts of Grafana's dashboard that are used.
type (
	dashboard struct {
		Title         string         `json:"title"`
		UID           string         `json:"uid"`
		Description   string         `json:"description"`
		Tags          []string       `json:"tags"`
		SchemaVersion int            `json:"schemaVersion"`
		Editable      bool           `json:"editable"`
		Refresh       string         `json:"refresh"`
		Time          timeRange      `json:"time"`
		Templating    templating     `json:"templating"`
		Panels        []grafanaPanel `json:"panels"`
	}
	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	templating struct {
		List []variable `json:"list"`
	}
	variable struct {
		Name       string      `json:"name"`
		Label      string      `json:"label"`
		Type       string      `json:"type"`
		Query      string      `json:"query"`
		Datasource *datasource `json:"datasource,omitempty"`
		IncludeAll bool        `json:"includeAll"`
		Multi      bool        `json:"multi"`
		AllValue   string      `json:"allValue,omitempty"`
		Refresh    int         `json:"refresh"`
		Sort       int         `json:"sort"`
	}
	datasource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	grafanaPanel struct {
		ID          int          `json:"id"`
		Type        string       `json:"type"`
		Title       string       `json:"title"`
		Description string       `json:"description,omitempty"`
		Grid        grid         `json:"gridPos"`
		Collapsed   *bool        `json:"collapsed,omitempty"`
		Datasource  *datasource  `json:"datasource,omitempty"`
		FieldConfig *fieldConfig `json:"fieldConfig,omitempty"`
		Targets     []target     `json:"targets,omitempty"`
	}
	grid struct {
		X      int `json:"x"`
		Y      int `json:"y"`
		Width  int `json:"w"`
		Height int `json:"h"`
	}
	fieldConfig struct {
		Defaults struct {
			Unit Unit `json:"unit"`
		} `json:"defaults"`
		Overrides []struct{} `json:"overrides"`
	}
	target struct {
		RefID        string `json:"refId"`
		Expression   string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
	}
)

// Dashboard returns the dashboard for Grafana.
func Dashboard() ([]byte, error) {
	board := dashboard{
		Title:         "Flow control",
		UID:           "flowcontrol-apiserver",
		Description:   "API Priority and Fairness, of flowcontrol-apiserver and of kube-apiserver. Made by `make update-docs`; docs/operations.md explains it.",
		Tags:          []string{"flowcontrol-apiserver", "kubernetes"},
		SchemaVersion: 39,
		Editable:      true,
		Refresh:       "30s",
		Time:          timeRange{From: "now-3h", To: "now"},
		Templating:    templating{List: variables()},
		Panels:        grafanaPanels(),
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(board)
	return content.Bytes(), err
}

// source is the data source that the variable datasource names.
func source() *datasource { return &datasource{Type: "prometheus", UID: "${datasource}"} }

func variables() []variable {
	labels := func(name, label, query string) variable {
		return variable{
			Name: name, Label: label, Type: "query", Query: query, Datasource: source(),
			IncludeAll: true, Multi: true, AllValue: ".*", Refresh: 2, Sort: 1,
		}
	}
	const metric = "apiserver_flowcontrol_nominal_limit_seats"
	return []variable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus", Refresh: 1},
		labels("job", "Server", "label_values("+metric+", job)"),
		labels("instance", "Replica", "label_values("+metric+`{job=~"$job"}, instance)`),
		labels("priority_level", "Priority level", "label_values("+metric+`{job=~"$job"}, priority_level)`),
	}
}

// grafanaPanels lays the rows out from the top to the bottom.
func grafanaPanels() (panels []grafanaPanel) {
	y := 0
	for _, row := range Rows() {
		panels = append(panels, grafanaPanel{
			ID: len(panels) + 1, Type: "row", Title: row.Title, Collapsed: new(bool), Grid: grid{Y: y, Width: 24, Height: 1},
		})
		y++
		for i, panel := range row.Panels {
			place := grid{X: i % panelsInLine * panelWidth, Y: y + i/panelsInLine*panelHeight, Width: panelWidth, Height: panelHeight}
			panels = append(panels, panel.grafana(len(panels)+1, place))
		}
		y += (len(row.Panels) + panelsInLine - 1) / panelsInLine * panelHeight
	}
	return panels
}

func (p Panel) grafana(id int, place grid) grafanaPanel {
	config := &fieldConfig{Overrides: []struct{}{}}
	config.Defaults.Unit = p.Unit
	panel := grafanaPanel{
		ID: id, Type: "timeseries", Title: p.Title, Description: p.Description, Grid: place, Datasource: source(), FieldConfig: config,
	}
	for i, query := range p.Queries {
		panel.Targets = append(panel.Targets, target{RefID: string(rune('A' + i)), Expression: query.Expression, LegendFormat: query.Legend})
	}
	return panel
}
