// Package demand measures how many seats a priority level could use.
//
// The demand x(t) of a level is the number of seats that its executing
// requests occupy plus the number that its waiting requests ask for. It is a
// step function of time. Over a period of D seconds,
//
//	average   = 1/D · ∫ x dt                       seats
//	deviation = sqrt(1/D · ∫ (x-average)² dt)      seats
//	          = sqrt(1/D · ∫ (x-o)² dt - (average-o)²)   for any offset o
//
// and the high-water mark is the largest x. Taking o to be the demand at the
// start of the period makes the deviation of an unchanged demand exactly zero
// and keeps both integrals small, so that their difference does not lose
// digits.
//
// # Smoothing
//
// At the end of each period the envelope is average + deviation, and
//
//	smoothed = max(envelope, A · smoothed + (1-A) · envelope)    A = 0.977
//
// Demand is believed at once when it rises and forgotten slowly when it falls:
// with a period of 10 s, half of what is above the envelope is forgotten in
// ln 2 / -ln A = 30 periods, five minutes.
//
// # Clocks
//
// Only time that passes counts. Where the clock stands still or goes back, the
// demand changes at once and weighs nothing; a period in which no time passed
// has a high-water mark, but neither average nor deviation, and leaves the
// smoothed demand as it was.
package demand
