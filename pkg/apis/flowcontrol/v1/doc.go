// +k8s:conversion-gen=github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol
// +k8s:conversion-gen-external-types=k8s.io/api/flowcontrol/v1
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=k8s.io/api/flowcontrol/v1
// +groupName=flowcontrol.apiserver.k8s.io

// Package v1 has the conversions to and from the hub and the defaults of
// flowcontrol.apiserver.k8s.io/v1. The Go types are in k8s.io/api/flowcontrol/v1.
package v1
