// The release of cert-manager whose CustomResourceDefinitions the end-to-end tests
// install, from the module proxy. A module of its own, so that its dependencies never
// reach the product's.
module github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/cert-manager

go 1.26.0

require github.com/cert-manager/cert-manager v1.21.2
