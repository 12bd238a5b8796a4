package mixin

import (
	"strings"
	"time"
)

// Severity says how soon somebody should act.
type Severity string

const (
	// Critical means now: requests fail, or soon will.
	Critical Severity = "critical"
	// Warning means today: some requests wait or are rejected, or redundancy is lost.
	Warning Severity = "warning"
	// Info means at the next review of the configuration.
	Info Severity = "info"
)

// Alert is an alert rule.
type Alert struct {
	// Name is also the heading in docs/operations.md.
	Name     string
	Severity Severity
	// For is how long the expression must hold.
	For time.Duration
	// Expression may contain the placeholders of Parameters.
	Expression string
	// Summary says in one sentence what is wrong. Description says where, and what to do
	// first. Both are templates of Prometheus.
	Summary, Description string
	// FitsKubeAPIServer is set if kube-apiserver has the metrics too.
	FitsKubeAPIServer bool
}

// Record is a recording rule.
type Record struct {
	// Name is level:metric:operations.
	Name string
	// Expression may contain the placeholders of Parameters.
	Expression string
}

// Group is a group of rules that are evaluated together, records first.
type Group struct {
	Name    string
	Records []Record
	Alerts  []Alert
}

// Groups returns all rules.
func Groups() []Group {
	return []Group{levels(), configuration(), availability(), etcd(), kubeAPIServer()}
}

// Alerts returns the alerts of all groups.
func Alerts() (alerts []Alert) {
	for _, group := range Groups() {
		alerts = append(alerts, group.Alerts...)
	}
	return alerts
}

// Runbook returns the address of the section that explains the alert.
func (a Alert) Runbook() string { return Runbook + "#" + strings.ToLower(a.Name) }
