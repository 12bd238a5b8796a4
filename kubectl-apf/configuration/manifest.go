package configuration

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Manifest returns an object as YAML to apply: without what a server sets.
func Manifest(kind metav1.TypeMeta, of *metav1.ObjectMeta, spec any) (string, error) {
	type metadata struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	text, err := yaml.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metadata `json:"metadata"`
		Spec            any      `json:"spec"`
	}{kind, metadata{of.Name, of.Labels, of.Annotations}, spec})
	if err != nil {
		return "", fmt.Errorf("writing YAML: %w", err)
	}
	return string(text), nil
}
