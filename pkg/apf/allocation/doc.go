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
// Rounding up makes Σ nominal exceed S by less than one seat per level. This
// sum, not S, is what the levels have to share: so a level that everybody else
// leaves alone, and that lends nothing, keeps its nominal limit.
//
// # Current limits
//
// Given the demand of the last period,
//
//	minCurrent(L) = max(lower, min(nominal, high-water mark))   limited level
//	minCurrent(L) = max(lower, high-water mark)                 exempt level
//	target(L)     = max(minCurrent, smoothed)
//
// An exempt level is not limited; what it was seen to use is taken off the top,
// and R = Σ nominal - Σ minCurrent(exempt) remains for the limited levels:
//
//	R <= Σ lower                 current = lower
//	R <= Σ minCurrent            current = lower + (minCurrent-lower) · (R-Σ lower)/(Σ minCurrent-Σ lower)
//	R >= Σ upper                 current = upper
//	otherwise                    current = clamp(f · target, minCurrent, upper)
//
// with the one f, the fair fraction, for which the currents sum to R. That sum
// grows steadily with f, from Σ minCurrent to Σ upper, so f exists, and it is
// unique up to ranges in which no level moves. A target below a thousandth of
// a seat counts as that much, so that levels without any demand share what
// nobody wants.
//
// # Finding f
//
// Start with every level free. Let f be what remains to share over the sum of
// the free targets, and clamp each free f · target. If clamping up costs more
// seats than clamping down frees, then the true f is smaller, so every level
// clamped up stays at its minimum: fix those. In the opposite case fix those
// that are clamped down. If both balance, f is found. Every round fixes at
// least one level.
//
// # Whole seats
//
// Currents are rounded to the nearest seat, halves up, but that of a level with a
// nominal seat not to none: a level that all others borrowed from while it was idle
// would let nobody in, on an idle server too, until the next division, and for
// ever if it lets nobody wait, as it would never show a demand. (The library
// rounds such a limit to zero, and lets one request in at zero, also where zero
// is meant.) The roundings could add up to more than one seat per level above S;
// then the levels that gained most give one back, and if that is not enough, those
// that have most above their minimum. The sum of the current limits is therefore
// within one seat per level of S, unless minimum limits alone are above that.
package allocation
