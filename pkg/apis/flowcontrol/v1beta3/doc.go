// +k8s:conversion-gen=github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol
// +k8s:conversion-gen-external-types=k8s.io/api/flowcontrol/v1beta3
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=k8s.io/api/flowcontrol/v1beta3
// +groupName=flowcontrol.apiserver.k8s.io

// Package v1beta3 has the conversions to and from the hub and the defaults of
// flowcontrol.apiserver.k8s.io/v1beta3. The Go types are in
// k8s.io/api/flowcontrol/v1beta3.
//
// In v1beta3 nominalConcurrencyShares is not a pointer, so that zero and omitted
// shares are the same, and both default to 30. The annotation
// flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares marks an object with
// zero shares. Conversion from the hub adds it, conversion to the hub removes it.
package v1beta3
