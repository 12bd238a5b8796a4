// +k8s:conversion-gen=github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol
// +k8s:conversion-gen-external-types=k8s.io/api/flowcontrol/v1beta3
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=k8s.io/api/flowcontrol/v1beta3
// +groupName=flowcontrol.apiserver.k8s.io

// Package v1beta3 converts flowcontrol.apiserver.k8s.io/v1beta3 from and to the
// hub and gives its defaults. The Go types are those of
// k8s.io/api/flowcontrol/v1beta3.
//
// In v1beta3 nominalConcurrencyShares is a plain number, so that zero shares
// and no shares look the same, and both mean 30. An object that really has zero
// shares says so with the annotation
// flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares, which conversion
// puts on when the hub holds a zero and takes off on the way back.
package v1beta3
