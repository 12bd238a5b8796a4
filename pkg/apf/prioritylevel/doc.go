// Package prioritylevel is one priority level: its configuration, its limits, its
// demand, and the queue set that seats its requests.
//
// A level whose configuration is removed quiesces: the classifier sends it no new
// requests, but it keeps its share of the server until its last request has ended.
// Then it may be dropped. If its configuration returns before that, it resumes.
//
// A request may reach a level after the level was dropped, because it was classified
// before. The level serves it, under its last limits.
package prioritylevel
