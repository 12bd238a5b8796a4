// Package traffic makes requests of many users at once and tells what each
// experienced: for demonstrations and benchmarks of flow control.
//
// An elephant is a user who keeps many connections busy, each with one request
// after the other. A mouse is a user who asks now and then, at a fixed pace that
// does not wait for answers.
package traffic
