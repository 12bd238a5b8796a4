package rbacfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// objects are the objects of a file.
type objects struct {
	roles    map[string]*rbacv1.ClusterRole
	bindings []*rbacv1.ClusterRoleBinding
}

// decode reads and validates a file. Its errors name the object, or the document by its
// number from 1.
func decode(content []byte) (*objects, error) {
	scheme := runtime.NewScheme()
	if err := rbacv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()

	found := &objects{roles: make(map[string]*rbacv1.ClusterRole)}
	var mistakes []error
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		if converted, err := yaml.ToJSON(document); err == nil && string(converted) == "null" {
			continue // comments and blank lines alone
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err == nil {
			err = found.add(object)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("document %d: %w", number, err))
		}
	}
	mistakes = append(mistakes, found.validate()...)
	return found, errors.Join(mistakes...)
}

func (o *objects) add(object runtime.Object) error {
	switch object := object.(type) {
	case *rbacv1.ClusterRole:
		if o.roles[object.Name] != nil {
			return fmt.Errorf("ClusterRole %q is there twice", object.Name)
		}
		o.roles[object.Name] = object
	case *rbacv1.ClusterRoleBinding:
		o.bindings = append(o.bindings, object)
	default:
		return fmt.Errorf("%s: must be a ClusterRole or a ClusterRoleBinding: nothing that this server serves has a namespace",
			object.GetObjectKind().GroupVersionKind().Kind)
	}
	return nil
}

// validate returns what kube-apiserver would reject, and what has no effect here.
func (o *objects) validate() []error {
	var mistakes []error
	for _, name := range slices.Sorted(maps.Keys(o.roles)) {
		role := o.roles[name]
		if name == "" {
			mistakes = append(mistakes, errors.New("a ClusterRole has no metadata.name"))
		}
		if role.AggregationRule != nil {
			mistakes = append(mistakes, fmt.Errorf("ClusterRole %q: aggregationRule is not supported: write the rules out", name))
		}
		for i := range role.Rules {
			if err := validateRule(&role.Rules[i]); err != nil {
				mistakes = append(mistakes, fmt.Errorf("ClusterRole %q: rules[%d]: %w", name, i, err))
			}
		}
	}
	for _, binding := range o.bindings {
		mistakes = append(mistakes, o.validateBinding(binding)...)
	}
	return mistakes
}

func validateRule(rule *rbacv1.PolicyRule) error {
	switch {
	case len(rule.Verbs) == 0:
		return errors.New("verbs must not be empty")
	case len(rule.NonResourceURLs) > 0 && len(rule.APIGroups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
		return errors.New("a rule must have either nonResourceURLs, or apiGroups and resources")
	case len(rule.NonResourceURLs) == 0 && (len(rule.APIGroups) == 0 || len(rule.Resources) == 0):
		return errors.New("apiGroups and resources must not be empty")
	}
	return nil
}

func (o *objects) validateBinding(binding *rbacv1.ClusterRoleBinding) []error {
	var mistakes []error
	reject := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("ClusterRoleBinding %q: %w", binding.Name, fmt.Errorf(format, args...)))
	}
	if ref := binding.RoleRef; ref.Kind != "ClusterRole" || ref.APIGroup != rbacv1.GroupName {
		reject("roleRef must have apiGroup %s and kind ClusterRole", rbacv1.GroupName)
	} else if o.roles[ref.Name] == nil {
		reject("ClusterRole %q is not in the file", ref.Name)
	}
	for i, subject := range binding.Subjects {
		switch subject.Kind {
		case rbacv1.UserKind, rbacv1.GroupKind, rbacv1.ServiceAccountKind:
		default:
			reject("subjects[%d]: kind must be User, Group or ServiceAccount, and is %q", i, subject.Kind)
		}
		if subject.Name == "" {
			reject("subjects[%d]: name must not be empty", i)
		}
	}
	return mistakes
}
