// Package search looks for arrivals that make a discipline of one priority level break a promise.
//
// A Scenario says who sends which requests. Run plays it against a Level in virtual time and returns
// the History: what arrived, started, ended, left and was rejected, and when. Judge compares a History
// with a fluid that serves the flows active at each moment by max-min, and returns Measures, one for
// each promise. A Climb changes scenarios at random and keeps the changes that make a measure worse.
//
// Levels to compare are Disciplines: the engine of package queueset, the Reference of this package,
// which knows how long each request will take and may walk all flows, its variants with one rule
// broken on purpose, and in the tests the library's engine.
//
// # Terms
//
// A flow is active while a request of it waits or executes. Work is in seat-seconds. The fair rate of
// a flow is what a fluid gives it: C seats, divided among the active tenants by weight, then among the
// active flows of a tenant by weight, where nobody gets more than they ask for and the rest goes to the
// others.
package search
