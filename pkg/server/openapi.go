package server

import (
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
)

// describeAPI configures the OpenAPI documents. They describe bearer tokens as those
// of kube-apiserver do, for which the library adds 401 to each operation.
func (s *Server) describeAPI() {
	const title, scheme, header, description = "flowcontrol-apiserver", "BearerToken", "authorization", "Bearer Token authentication"
	namer := apiopenapi.NewDefinitionNamer(s.scheme)
	s.generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	s.generic.OpenAPIConfig.Info.Title = title
	s.generic.OpenAPIConfig.SecurityDefinitions = &spec.SecurityDefinitions{scheme: {SecuritySchemeProps: spec.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
	s.generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	s.generic.OpenAPIV3Config.Info.Title = title
	s.generic.OpenAPIV3Config.SecuritySchemes = spec3.SecuritySchemes{scheme: {SecuritySchemeProps: spec3.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
}
