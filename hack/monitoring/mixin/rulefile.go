package mixin

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// ruleFile is a rule file of Prometheus, and the spec of a PrometheusRule.
type ruleFile struct {
	Groups []ruleGroup `json:"groups"`
}

type ruleGroup struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Record      string            `json:"record,omitempty"`
	Alert       string            `json:"alert,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// rules returns all rules with these parameters.
func (p Parameters) rules() ruleFile {
	var file ruleFile
	for _, group := range Groups() {
		written := ruleGroup{Name: group.Name}
		for _, record := range group.Records {
			written.Rules = append(written.Rules, rule{Record: record.Name, Expr: p.fill(record.Expression)})
		}
		for _, alert := range group.Alerts {
			written.Rules = append(written.Rules, rule{
				Alert:  alert.Name,
				Expr:   p.fill(alert.Expression),
				For:    p.shorten(alert.For, time.Second).String(),
				Labels: map[string]string{"severity": string(alert.Severity)},
				Annotations: map[string]string{
					"summary": alert.Summary, "description": alert.Description, "runbook_url": alert.Runbook(),
				},
			})
		}
		file.Groups = append(file.Groups, written)
	}
	return file
}

// Rules returns a rule file of Prometheus.
func (p Parameters) Rules() ([]byte, error) { return yaml.Marshal(p.rules()) }

// PrometheusRule returns the rules as an object for the Prometheus Operator.
func (p Parameters) PrometheusRule() ([]byte, error) {
	return yaml.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        objectMeta `json:"metadata"`
		Spec            ruleFile   `json:"spec"`
	}{
		TypeMeta: metav1.TypeMeta{APIVersion: "monitoring.coreos.com/v1", Kind: "PrometheusRule"},
		Metadata: metadata(),
		Spec:     p.rules(),
	})
}

// objectMeta is what the objects have of metav1.ObjectMeta, which writes a timestamp too.
type objectMeta struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

func metadata() objectMeta {
	const name = "flowcontrol-apiserver"
	return objectMeta{
		Name: name, Namespace: "flowcontrol-system",
		Labels: map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": name},
	}
}
