// Package prioritylevel is the life of one priority level: its configuration,
// its limits, the demand it showed, and the requests it seats.
//
// A level is born with a limit, is configured anew any number of times, and
// ends in two steps. When its configuration goes it quiesces: nothing new is
// sent to it, but it keeps its share of the server until the last of its
// requests has ended. Then it may be dropped. If its configuration comes back
// before that, it resumes as if nothing had been.
//
// A request may reach a level some time after it was classified, even after
// the level was dropped. It is served there all the same, under the limit that
// the level had last.
package prioritylevel
