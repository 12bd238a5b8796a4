// Package fuzzparity sends generated objects to this server and to a
// kube-apiserver that serves the group itself, and holds that both say the
// same: status code, reason, the set of causes, warnings, and for an object
// that is accepted what is stored of it.
//
// Most objects are created and updated as a dry run, some for real. Each field
// of a full object is left out, doubled and replaced by every other type of
// value; beyond that objects are random: valid, nearly valid and wild, in JSON,
// YAML and protobuf, with damaged bytes too. What is sent to v1beta3, which the
// peer does not serve, is held against what the peer says to the same object
// in v1.
//
// The short lane takes every seventh of the changed fields and some random objects,
// the same each time; the long lane takes all fields and many objects, new ones each
// time. A difference is reported with the smallest object that still shows it.
package fuzzparity
