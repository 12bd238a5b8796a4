package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// matcher finds the schema that a request matches.
type matcher struct {
	// schemas are those whose level exists, in matching order.
	schemas    []*flowcontrolv1.FlowSchema
	classifier *classify.Classifier
}

// matcher returns the matcher of the bundle, which is made when it is first needed.
func (j *judge) matcher() *matcher {
	if j.matching == nil {
		schemas := slices.DeleteFunc(slices.Clone(j.schemas), func(schema *flowcontrolv1.FlowSchema) bool {
			return !j.levelExists(schema.Spec.PriorityLevelConfiguration.Name)
		})
		j.matching = &matcher{schemas: schemas, classifier: classify.New(forClassifier(schemas))}
	}
	return j.matching
}

// schemaOf returns the schema that the request matches; nil if there is none.
func (m *matcher) schemaOf(request *flow.Attributes) *flowcontrolv1.FlowSchema {
	at := m.classifier.Match(request)
	if at < 0 {
		return nil
	}
	return m.schemas[at]
}

// requestOf returns a request of a service account for a resource.
func requestOf(namespace, account string) flow.Attributes {
	return flow.Attributes{
		User:              serviceaccount.MakeUsername(namespace, account),
		Groups:            append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated),
		IsResourceRequest: true,
	}
}

// forClassifier returns the schemas in the form of package classify, in the same order,
// which is the matching order. They lack what is invalid.
func forClassifier(schemas []*flowcontrolv1.FlowSchema) []rules.Schema {
	converted := make([]rules.Schema, len(schemas))
	for i, schema := range schemas {
		converted[i], _ = rules.SchemaOf(schema)
	}
	return converted
}
