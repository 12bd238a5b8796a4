// Package size estimates how many seats an API server needs for stated goals, in total and by
// priority level, with an uncertainty.
//
// # Goals
//
// A goal is an assertion of package simulate that bounds waits or rejections, such as
// "wait.p99 < 100ms" or "rejected == 0". Without a scope it holds for each priority level.
//
// # Need
//
// Requests are simulated several times, as package simulate does, with other numbers of seats. All
// seats are one API server's.
//
//	of a level        the smallest limit with which its goals hold, if it neither lends nor
//	                  borrows. All levels are searched at one time, because then none depends
//	                  on another
//	in total          the smallest total with which all goals hold, with the shares, lending
//	                  and borrowing of the configuration
//	fitted            the sum of the needs of the levels: the total with shares that follow the
//	                  needs, without lending and borrowing
//
// The beginning of the requests settles the limits of the levels first, see package simulate. A server
// that has just started does not know which levels need seats: it may need more.
//
// The first simulation has no limits: a goal that fails there cannot be met. A need is the
// smallest number where the goals hold, and hold for all larger ones. A search shows this: it goes
// down in tenths of an ample number, and then ends within 2 % or a seat.
//
// # Uncertainty
//
// The requests are also sized in four parts of equal time, each alone. The range is from the
// least to the most of what the parts and the whole need. A part has 30 s at least. It says how much the need changes
// within the requests, and nothing about another day.
//
// # Two scrapes
//
// Two scrapes of /metrics have rates and histograms, and no requests. Measure generates requests: a
// flow schema's arrive at random (a Poisson process) with the rate of dispatched and rejected
// requests between the scrapes. Execution follows the histogram request_execution_seconds, and the
// seats of a request follow work_estimated_seats, both with the measured means and independent of
// each other. So the mean of the seats in use is the product of rate, mean execution and mean
// width, by Little's law. A flow schema is assumed to have 20 equal flows. Widen widens the range
// by what rates do not show: the error of a rate that n requests give, 1.96/√n, and the high
// watermark of demand: with as many seats nothing waits.
package size
