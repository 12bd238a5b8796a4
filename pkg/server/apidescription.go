package server

import (
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
)

// describeAPI sets up the OpenAPI documents. That requests carry a bearer token
// is said as kube-apiserver says it; the library adds 401 to all answers then.
func (c *Config) describeAPI() {
	const title, scheme, header, description = "flowcontrol-apiserver", "BearerToken", "authorization", "Bearer Token authentication"
	namer := apiopenapi.NewDefinitionNamer(c.scheme)
	c.generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	c.generic.OpenAPIConfig.Info.Title = title
	c.generic.OpenAPIConfig.SecurityDefinitions = &spec.SecurityDefinitions{scheme: {SecuritySchemeProps: spec.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
	c.generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	c.generic.OpenAPIV3Config.Info.Title = title
	c.generic.OpenAPIV3Config.SecuritySchemes = spec3.SecuritySchemes{scheme: {SecuritySchemeProps: spec3.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
}
