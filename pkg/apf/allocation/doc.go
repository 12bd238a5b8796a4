// Package allocation divides the seats of a server among its priority levels.
//
// # Nominal limits
//
// With S seats in total and the shares s(L), in seats,
//
//	nominal(L)   = ceil(S · s(L) / Σ s)
//	lendable(L)  = round(nominal(L) · lendablePercent(L) / 100)
//	borrowing(L) = round(nominal(L) · borrowingLimitPercent(L) / 100), or S if unset
//	lower(L)     = nominal(L) - lendable(L)
//	upper(L)     = min(S, nominal(L) + borrowing(L))
//
// Because of rounding up, Σ nominal may exceed S by less than one seat per level.
// The levels share this sum, not S, so that a level that neither lends nor borrows
// has exactly its nominal limit.
//
// # Current limits
//
// With the demand of the last period, see below,
//
//	minCurrent(L) = max(lower, min(nominal, high-water mark))   limited level
//	minCurrent(L) = max(lower, high-water mark)                 exempt level
//	target(L)     = max(minCurrent, smoothed)
//
// Exempt levels are not limited. Their use is subtracted first, and the limited
// levels share R = Σ nominal - Σ minCurrent(exempt):
//
//	R <= Σ lower                 current = lower
//	R <= Σ minCurrent            current = lower + (minCurrent-lower) · (R-Σ lower)/(Σ minCurrent-Σ lower)
//	R >= Σ upper                 current = upper
//	otherwise                    current = clamp(f · target, minCurrent, upper)
//
// where f, the fair fraction, makes the currents sum to R. The sum is continuous and does not
// decrease in f, from Σ minCurrent to Σ upper. So f exists; it is unique except in ranges where
// every level is at a bound. A target is at least a thousandth of a seat, so that levels without
// demand share the seats that no level wants.
//
// # Finding f
//
// At first every level is free. In each round, let f be the remaining seats divided
// by the sum of the free targets, and clamp f · target for each free level. If
// clamping up costs more seats than clamping down frees, f is too large: every level
// that was clamped up is fixed at its minimum. In the opposite case, every level that
// was clamped down is fixed at its upper limit. If both are equal, f is found. Each
// round fixes at least one level.
//
// # Whole seats
//
// Currents are rounded to the nearest seat, halves up, but a level with a nominal
// seat gets at least 1, even if R <= Σ lower. Otherwise a level that has lent all its
// seats while idle would reject every request until the next division, and forever if it
// has no queues, because it would never show demand. (k8s.io/apiserver rounds to zero and
// admits one request at a limit of zero, even if zero is configured.)
//
// Rounding could add more than one seat per level to S. Then the levels that gained
// most by rounding return a seat and, if that is not enough, the levels that have most
// above their minimum. So the sum of the current limits is at most S plus one seat per
// level, unless the sum of the minima is greater. Where R <= Σ lower, nothing can be
// returned: the sum is Σ minCurrent(exempt) + Σ max(lower, 1), without 1 for levels that
// have no nominal seat.
//
// # Demand
//
// The demand x(t) of a level is the number of seats that its executing requests hold
// plus the number that its waiting requests need, a step function of time. Over a
// period of D seconds,
//
//	average   = 1/D · ∫ x dt                       seats
//	deviation = sqrt(1/D · ∫ (x-average)² dt)      seats
//	          = sqrt(1/D · ∫ (x-o)² dt - (average-o)²)   for any offset o
//
// and the high-water mark is the largest x. The DemandTracker chooses as o the demand at the
// start of the period. So the deviation of a constant demand is exactly zero, and both
// integrals are small, so that their difference loses no digits.
//
// At the end of each period the envelope is average + deviation, and
//
//	smoothed = max(envelope, A · smoothed + (1-A) · envelope)    A = 0.977
//
// It rises at once with the envelope and decays slowly: with a period of 10 s, the
// half-life of the part above the envelope is ln 2 / -ln A = 30 periods, five minutes.
//
// If the clock stands still or goes back, the demand changes, but has no weight. A period without
// any time has a high-water mark, but neither average nor deviation, and does not change the
// smoothed demand.
package allocation
