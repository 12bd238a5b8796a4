// Package validation says what is wrong with a FlowSchema or a
// PriorityLevelConfiguration.
//
// Each function takes the hub form, after defaulting, and returns one error for
// each fault, with the path of the field as both served versions name it. The
// verdict, and the type, field and bad value of each error, are those of
// kube-apiserver 1.33; the module in test/parity holds this. Whether an object
// changed does not matter except for what the registry itself forbids, so that
// an update has to pass what a create has to pass.
package validation
