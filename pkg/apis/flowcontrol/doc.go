// +k8s:deepcopy-gen=package
// +groupName=flowcontrol.apiserver.k8s.io

// Package flowcontrol is the hub of the flowcontrol.apiserver.k8s.io group: the
// one form in which this server handles a FlowSchema or a
// PriorityLevelConfiguration, whatever version it came in or leaves in.
//
// The served versions are the published Go types of k8s.io/api/flowcontrol/v1
// and v1beta3. A request body is decoded into its version, defaulted there,
// converted to the hub, validated, and converted to v1 for the store; an answer
// goes the other way. Memory layouts of the hub and of v1 are the same, so that
// generated conversions between these two are pointer casts. The one lossy
// place, v1beta3's inability to tell "no shares given" from "zero shares", is
// handled in the package v1beta3 below this one.
package flowcontrol
