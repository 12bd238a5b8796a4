package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
)

// described has the schemas that a server publishes, by apiVersion and kind. The validator of custom
// resources judges each JSON answer by them, tables and watch events too. A field that the schema does
// not name is an error.
type described map[string]*spec.Schema

// known are objections to both servers alike: a list or time that is not set may be null, and a cell of a
// table is no object.
const known = ` in body must be of type (array|object|string): "null"$|^rows\[\d+\]\.cells\[\d+\] in body must be of type object: `

// describe reads the OpenAPI documents of the server. No document has tables and partial objects, since
// any path may answer them: their types say their schemas.
func (s *side) describe(t *testing.T) described {
	t.Helper()
	schemas := described{}
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	definitions := openapi.GetOpenAPIDefinitions(spec.MustCreateRef)
	ofType := func(name string) (*spec.Schema, bool) {
		definition, ok := definitions[name]
		return &definition.Schema, ok
	}
	for _, kind := range []string{"Table", "PartialObjectMetadata", "PartialObjectMetadataList"} {
		schemas.add(t, "meta.k8s.io/v1 "+kind, meta+kind, ofType)
		schemas.add(t, "meta.k8s.io/v1beta1 "+kind, meta+kind, ofType)
	}
	for _, path := range []string{v1Path, v1beta3Path} {
		response, err := s.open(t.Context(), http.MethodGet, "/openapi/v3"+strings.TrimSuffix(path, "/"), "", nil)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		if response.StatusCode == http.StatusNotFound {
			continue // kube-apiserver without v1beta3
		}
		var document struct {
			Components struct{ Schemas map[string]*spec.Schema }
		}
		require.NoError(t, json.Unmarshal(body, &document), "%s", body)
		served := func(name string) (*spec.Schema, bool) {
			found, ok := document.Components.Schemas[strings.TrimPrefix(name, "#/components/schemas/")]
			return found, ok
		}
		for name, schema := range document.Components.Schemas {
			var kinds []struct{ Group, Version, Kind string }
			require.NoError(t, schema.Extensions.GetObject("x-kubernetes-group-version-kind", &kinds))
			for _, kind := range kinds {
				schemas.add(t, strings.TrimPrefix(kind.Group+"/"+kind.Version+" "+kind.Kind, "/"), name, served)
			}
		}
	}
	require.Contains(t, schemas, "flowcontrol.apiserver.k8s.io/v1 FlowSchemaList")
	return schemas
}

func (d described) add(t *testing.T, kind, name string, schemaOf func(string) (*spec.Schema, bool)) {
	t.Helper()
	schema, err := resolver.PopulateRefs(schemaOf, name)
	require.NoError(t, err)
	closeFields(schema)
	d[kind] = schema
}

// closeFields rejects fields that a schema does not name, in it and in those below it.
func closeFields(schema *spec.Schema) {
	if len(schema.Properties) > 0 && schema.AdditionalProperties == nil {
		schema.AdditionalProperties = &spec.SchemaOrBool{}
	}
	for name, property := range schema.Properties {
		closeFields(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		closeFields(schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		closeFields(schema.AdditionalProperties.Schema)
	}
}

// judge returns what of an answer is not as described.
func (d described) judge(a answer) error {
	body, err := a.plain()
	if err != nil || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		return err
	}
	for documents := json.NewDecoder(bytes.NewReader(body)); ; {
		var document map[string]any
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if event, ok := document["object"].(map[string]any); ok {
			document = event // of a watch
		}
		if err := d.judgeObject(document); err != nil {
			return err
		}
	}
}

func (d described) judgeObject(object map[string]any) error {
	kind := fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])
	schema, ok := d[kind]
	if !ok {
		return nil // another group, or discovery
	}
	for _, objection := range validate.NewSchemaValidator(schema, nil, "", strfmt.Default).Validate(object).Errors {
		if !regexp.MustCompile(known).MatchString(objection.Error()) {
			return fmt.Errorf("%s is not as OpenAPI describes it: %w", kind, objection)
		}
	}
	rows, _ := object["rows"].([]any)
	for _, row := range rows {
		if of, ok := at(row, "object").(map[string]any); ok {
			if err := d.judgeObject(of); err != nil {
				return err
			}
		}
	}
	return nil
}
