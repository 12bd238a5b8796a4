// Package openapi holds the generated OpenAPI definitions of the types that
// this server speaks.
package openapi
