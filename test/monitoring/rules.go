// Package monitoring reads artifacts/monitoring, rules for Prometheus and a dashboard for
// Grafana, and tests what they promise.
package monitoring

import (
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// RuleFile is a rule file of Prometheus, and the spec of a PrometheusRule.
type RuleFile struct {
	Groups []struct {
		Name  string
		Rules []Rule
	}
}

// Rule is a recording or an alert rule.
type Rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// Rules returns artifacts/monitoring/rules.yaml, as text and decoded.
func Rules() (string, RuleFile, error) {
	content, err := artifact("rules.yaml")
	if err != nil {
		return "", RuleFile{}, err
	}
	var file RuleFile
	return string(content), file, yaml.UnmarshalStrict(content, &file)
}

// Alerts returns the alert rules.
func (f RuleFile) Alerts() (alerts []Rule) {
	for _, group := range f.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" {
				alerts = append(alerts, rule)
			}
		}
	}
	return alerts
}

func artifact(name string) ([]byte, error) {
	root, err := binaries.Root()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "artifacts", "monitoring", name))
}
