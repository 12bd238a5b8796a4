// Package statussync maintains the condition Dangling in the status of every
// FlowSchema: True, with reason NotFound, if its priority level does not exist, else
// False, with reason Found. The message names the level. The mandatory levels always
// exist, because the engine adds them where the API lacks them.
//
// Two informers are not ordered: a schema may arrive before the level that it names.
// So a schema is only said to dangle after a get of the level from the API has
// returned NotFound.
//
// # Several servers
//
// Every replica does this, possibly in different versions. Two that disagree would
// overwrite each other as fast as they can. So a condition is only written if its
// status, its reason or the level it names is wrong, never for its wording. And one
// object is written at most six times a minute; further writes wait until the first
// of the six is a minute old, and for a random time after that.
package statussync
