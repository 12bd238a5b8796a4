// +k8s:deepcopy-gen=package
// +groupName=flowcontrol.apiserver.k8s.io

// Package flowcontrol has the internal types, the hub, of the API group
// flowcontrol.apiserver.k8s.io. This server handles all objects in this form,
// whatever the version of the request.
//
// The served versions are the published Go types of k8s.io/api/flowcontrol/v1
// and v1beta3. A request body is decoded into its version, defaulted there,
// converted to the hub, validated, and converted to v1 for the store; a response
// goes the other way. The hub and v1 have the same memory layout, so that the
// generated conversions between them are pointer casts. v1beta3 cannot distinguish
// zero shares from omitted shares; see package v1beta3.
package flowcontrol
