// Package suggest simulates a trace to find settings of priority levels that meet stated goals.
//
// # Goals
//
// A goal is an assertion of package simulate, such as "level.workload-high.wait.p99 <
// 100ms" or "flow.service-accounts.robot.rejected == 0". How far a configuration is from the goals
// is the number of unmet goals, and then the sum of their excesses.
//
// # Search
//
// The search climbs: in each round it simulates every step from the best configuration so far, and
// takes the one that is closest to the goals, on a tie, the one that harms others least. It ends
// when the goals are met, no step comes closer, or the number of simulations is used up. Then it
// tries to do without each step, while simulations are left. A step changes one setting of a
// priority level that a goal is about, or that could give seats to it:
//
//	shares                  a quarter or a half of the shares of another level move to it
//	lendablePercent         of the level to half, or of another level by 25 more
//	borrowingLimitPercent   of the level to no limit
//	queues                  twice as many, at most 512
//	handSize                one more or less, from 1 to 6
//	queueLengthLimit        half or twice as many
//
// Shares move, and are not added: so the nominal limits of all other levels stay. The search
// is not exhaustive: there may be better settings, and where none is found, there may be
// some.
//
// # Protection
//
// The levels exempt, system, leader-election, node-high and catch-all are protected,
// unless the caller allows it: they give no shares, none of their settings changes, and a
// configuration that makes their waits or rejections notably worse is rejected.
package suggest
