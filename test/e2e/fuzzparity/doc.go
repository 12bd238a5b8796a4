// Package fuzzparity sends generated objects to this server and to a
// kube-apiserver that serves the group, and compares the results: status code,
// reason, the set of causes, warnings, and for an accepted object the stored
// fields.
//
// Most creates and updates are dry runs, some are not. The variants of a full
// object omit, repeat or replace each field by every other type of value. Further
// objects are random: valid, nearly valid and arbitrary, in JSON, YAML and
// protobuf, some with damaged bytes. The peer does not serve v1beta3. What this
// server answers in v1beta3 is compared with the peer's answer to the same object
// in v1.
//
// The short lane uses every seventh variant and some random objects, the same in
// each run. The long lane uses all variants and many random objects, new ones in
// each run. A difference is reported with the smallest object that shows it.
package fuzzparity
