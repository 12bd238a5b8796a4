// Package names has the names that this project uses in stored data: API groups of
// files and keys of annotations. All are below one domain of the project, since names that
// end in k8s.io belong to the Kubernetes project.
package names

// Domain is the end of every API group and key of this project.
const Domain = "flowcontrol-apiserver.io"

// API versions of files.
const (
	SuiteVersion = "suite." + Domain + "/v1"
	TraceVersion = "trace." + Domain + "/v1alpha1"
)

// AnnotationPrefix is the beginning of the keys of annotations of audit events.
const AnnotationPrefix = "apf." + Domain + "/"

// ExpiresAnnotation is the key of the annotation of an object that is meant for a time: when that ends, in the
// form of RFC 3339. Nothing deletes the object; kubectl apf lint reports it.
const ExpiresAnnotation = "apf." + Domain + "/expires"
