// Command models-schema prints the OpenAPI v2 document of the types in
// pkg/generated/openapi, without paths. applyconfiguration-gen reads from it
// which lists and maps server-side apply merges.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(document()); err != nil {
		fmt.Fprintln(os.Stderr, "models-schema:", err)
		os.Exit(1)
	}
}

func document() *spec.Swagger {
	reference := func(name string) spec.Ref {
		return spec.MustCreateRef("#/definitions/" + util.ToRESTFriendlyName(name))
	}
	definitions := spec.Definitions{}
	for name, definition := range openapi.GetOpenAPIDefinitions(reference) {
		schema := definition.Schema
		if v2, ok := schema.Extensions[common.ExtensionV2Schema]; ok {
			schema = v2.(spec.Schema)
		}
		definitions[util.ToRESTFriendlyName(name)] = schema
	}
	return &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: "flowcontrol-apiserver", Version: "unversioned"}},
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Definitions: definitions,
	}}
}
