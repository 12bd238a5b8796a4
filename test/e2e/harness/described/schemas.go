package described

import (
	"context"
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
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// schemas are what a server publishes, by apiVersion and kind. The validator of custom resources judges by
// them. A field that the schema does not name is an error.
type schemas map[string]*spec.Schema

// known are objections to both servers alike: a list or time that is not set may be null, and a cell of a
// table is no object.
const known = ` in body must be of type (array|object|string): "null"$|^rows\[\d+\]\.cells\[\d+\] in body must be of type object: `

// read adds the OpenAPI documents of the server, if it answers. No document has tables and partial objects,
// since any path may answer them: their types say their schemas.
func (d schemas) read(t *testing.T, config *rest.Config) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	definitions := openapi.GetOpenAPIDefinitions(spec.MustCreateRef)
	ofType := func(name string) (*spec.Schema, bool) {
		definition, ok := definitions[name]
		return &definition.Schema, ok
	}
	for _, kind := range []string{"Table", "PartialObjectMetadata", "PartialObjectMetadataList"} {
		d.add(t, "meta.k8s.io/v1 "+kind, meta+kind, ofType)
		d.add(t, "meta.k8s.io/v1beta1 "+kind, meta+kind, ofType)
	}
	for _, version := range []string{"v1", "v1beta3"} {
		reply, err := harness.Send(context.WithoutCancel(t.Context()), client, http.MethodGet, config.Host+"/openapi/v3/apis/flowcontrol.apiserver.k8s.io/"+version, "")
		if err != nil || reply.Code != http.StatusOK {
			continue // it does not run, or does not serve this version
		}
		var document struct {
			Components struct{ Schemas map[string]*spec.Schema }
		}
		require.NoError(t, json.Unmarshal([]byte(reply.Body), &document), "%s", reply.Body)
		served := func(name string) (*spec.Schema, bool) {
			found, ok := document.Components.Schemas[strings.TrimPrefix(name, "#/components/schemas/")]
			return found, ok
		}
		for name, schema := range document.Components.Schemas {
			var kinds []struct{ Group, Version, Kind string }
			require.NoError(t, schema.Extensions.GetObject("x-kubernetes-group-version-kind", &kinds))
			for _, kind := range kinds {
				d.add(t, strings.TrimPrefix(kind.Group+"/"+kind.Version+" "+kind.Kind, "/"), name, served)
			}
		}
	}
}

func (d schemas) add(t *testing.T, kind, name string, schemaOf func(string) (*spec.Schema, bool)) {
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

// judge returns how many objects were judged, and what is not as described. The last one may have been read
// in part.
func (d schemas) judge(body io.Reader) (judged int, err error) {
	for documents := json.NewDecoder(body); ; {
		var value any
		if err := documents.Decode(&value); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return judged, nil
		} else if err != nil {
			return judged, err
		}
		document, _ := value.(map[string]any)
		if event, ok := document["object"].(map[string]any); ok {
			document = event // of a watch
		}
		if d[kindOf(document)] != nil {
			judged++
		}
		if err := d.judgeObject(document); err != nil {
			return judged, err
		}
	}
}

// kindOf returns the key of the schema of an object, which is of another group if there is none.
func kindOf(object map[string]any) string {
	return fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])
}

func (d schemas) judgeObject(object map[string]any) error {
	if schema, ok := d[kindOf(object)]; ok {
		for _, objection := range validate.NewSchemaValidator(schema, nil, "", strfmt.Default).Validate(object).Errors {
			if !regexp.MustCompile(known).MatchString(objection.Error()) {
				return fmt.Errorf("%s is not as OpenAPI describes it: %w", kindOf(object), objection)
			}
		}
	}
	rows, _ := object["rows"].([]any)
	for _, row := range rows {
		cells, _ := row.(map[string]any)
		if of, ok := cells["object"].(map[string]any); ok {
			if err := d.judgeObject(of); err != nil {
				return err
			}
		}
	}
	return nil
}
