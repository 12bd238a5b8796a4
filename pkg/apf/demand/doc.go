// Package demand measures how many seats a priority level could use.
//
// The demand x(t) of a level is the number of seats that its executing requests hold
// plus the number that its waiting requests need, a step function of time. Over a
// period of D seconds,
//
//	average   = 1/D · ∫ x dt                       seats
//	deviation = sqrt(1/D · ∫ (x-average)² dt)      seats
//	          = sqrt(1/D · ∫ (x-o)² dt - (average-o)²)   for any offset o
//
// and the high-water mark is the largest x. The Tracker chooses as o the demand at the
// start of the period. So the deviation of a constant demand is exactly zero, and both
// integrals are small, so that their difference loses no digits.
//
// # Smoothing
//
// At the end of each period the envelope is average + deviation, and
//
//	smoothed = max(envelope, A · smoothed + (1-A) · envelope)    A = 0.977
//
// It rises at once with the envelope and decays slowly: with a period of 10 s, the
// half-life of the part above the envelope is ln 2 / -ln A = 30 periods, five minutes.
//
// # Clocks
//
// If the clock stands still or goes back, the demand changes, but has no weight. A
// period in which no time passed has a high-water mark, but neither average nor
// deviation, and does not change the smoothed demand.
package demand
