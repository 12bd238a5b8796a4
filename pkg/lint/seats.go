package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const sharesField = "spec.limited.nominalConcurrencyShares"

// sortedByName returns the objects of a map by name.
func sortedByName[O metav1.Object](objects map[string]O) []O {
	return slices.SortedFunc(maps.Values(objects), func(a, b O) int { return cmp.Compare(a.GetName(), b.GetName()) })
}

// shareOf returns the share of a level that has its defaults.
func shareOf(level *flowcontrolv1.PriorityLevelConfiguration) allocation.Share {
	switch limited, exempt := level.Spec.Limited, level.Spec.Exempt; {
	case limited != nil:
		return allocation.Share{
			Shares:                ptr.Deref(limited.NominalConcurrencyShares, 0),
			LendablePercent:       ptr.Deref(limited.LendablePercent, 0),
			BorrowingLimitPercent: limited.BorrowingLimitPercent,
		}
	case exempt != nil:
		return allocation.Share{Shares: ptr.Deref(exempt.NominalConcurrencyShares, 0), LendablePercent: ptr.Deref(exempt.LendablePercent, 0)}
	default:
		return allocation.Share{}
	}
}

// limitsOf returns the limits of the levels on a server of total seats; nil if the total is unknown.
func limitsOf(levels map[string]*flowcontrolv1.PriorityLevelConfiguration, total int) map[string]allocation.Limits {
	if total <= 0 {
		return nil
	}
	sorted := sortedByName(levels)
	shares := make([]allocation.Share, len(sorted))
	for i, level := range sorted {
		shares[i] = shareOf(level)
	}
	limits := make(map[string]allocation.Limits, len(sorted))
	for i, l := range allocation.Nominal(total, shares) {
		limits[sorted[i].Name] = l
	}
	return limits
}

// ranksOf returns the ranks of the levels. Without limits they count shares.
func ranksOf(levels map[string]*flowcontrolv1.PriorityLevelConfiguration, limits map[string]allocation.Limits) map[string]levelRank {
	ranks := make(map[string]levelRank, len(levels))
	for name, level := range levels {
		rank := levelRank{
			exempt:  level.Spec.Type == flowcontrolv1.PriorityLevelEnablementExempt,
			rejects: level.Spec.Limited != nil && level.Spec.Limited.LimitResponse.Type == flowcontrolv1.LimitResponseTypeReject,
			amount:  int(shareOf(level).Shares), unit: "shares",
		}
		if limits != nil {
			rank.amount, rank.unit = limits[name].Nominal, "seats"
		}
		ranks[name] = rank
	}
	return ranks
}

// fewSeats is FC206: a level that has one seat, or none, at the server's total.
func fewSeats(level *flowcontrolv1.PriorityLevelConfiguration, nominal, total int) []Finding {
	limited := level.Spec.Limited
	if limited == nil || nominal > 1 {
		return nil
	}
	if nominal == 0 && limited.LimitResponse.Type == flowcontrolv1.LimitResponseTypeQueue {
		return nil // FC201
	}
	if nominal == 0 {
		until := ""
		if limited.BorrowingLimitPercent == nil {
			until = " until it has borrowed seats"
		}
		return []Finding{finding(FewSeats, levelObject(level.Name), sharesField,
			fmt.Sprintf("This level has no seats%s. On kube-apiserver it executes one request at a time all the same, and rejects others while it runs. On flowcontrol-apiserver it rejects all.", until),
			"Give it a share. To reject all requests of a client, withdraw its permissions or its credentials.").as(Info)}
	}
	return []Finding{finding(FewSeats, levelObject(level.Name), sharesField,
		fmt.Sprintf("On a server of %d seats this level has one, so one slow request delays or rejects all others.", total),
		"Raise nominalConcurrencyShares, or delete levels that are not needed.")}
}

// sharesDrop is FC207: built-in levels that have less than half of the seats that they
// have in the default configuration.
func sharesDrop(levels map[string]*flowcontrolv1.PriorityLevelConfiguration, defaults Defaults, total int) []Finding {
	if total <= 0 || len(defaults.PriorityLevels) == 0 {
		return nil
	}
	builtIn := map[string]*flowcontrolv1.PriorityLevelConfiguration{}
	for _, level := range defaults.PriorityLevels {
		builtIn[level.Name] = level
	}
	before, after := limitsOf(builtIn, total), limitsOf(levels, total)
	var findings []Finding
	var fallen []string
	for _, level := range sortedByName(builtIn) {
		name, now := level.Name, levels[level.Name]
		if now == nil || 2*after[name].Nominal >= before[name].Nominal {
			continue
		}
		if 2*shareOf(now).Shares >= shareOf(level).Shares {
			fallen = append(fallen, name)
			continue
		}
		findings = append(findings, finding(BuiltInSharesDrop, levelObject(name), sharesField,
			fmt.Sprintf("This built-in level has %d seats, less than half of its %d in the default configuration.", after[name].Nominal, before[name].Nominal),
			fmt.Sprintf("Raise nominalConcurrencyShares; the default is %d.", shareOf(level).Shares)))
	}
	if len(fallen) == 0 {
		return findings
	}
	cause := largestIncrease(levels, builtIn)
	related := make([]Object, len(fallen))
	for i, name := range fallen {
		related[i] = levelObject(name)
	}
	return append(findings, finding(BuiltInSharesDrop, levelObject(cause.Name), sharesField,
		fmt.Sprintf("The shares beyond the default configuration, %d of them here, leave %s less than half of their seats: %q has %d instead of %d.",
			shareOf(cause).Shares, quoted(fallen), fallen[0], after[fallen[0]].Nominal, before[fallen[0]].Nominal),
		"Lower nominalConcurrencyShares, or raise the shares of the built-in levels in proportion.").relatedTo(related...))
}

// largestIncrease returns the level that has gained most shares since the default
// configuration.
func largestIncrease(levels, builtIn map[string]*flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	increase := func(level *flowcontrolv1.PriorityLevelConfiguration) int32 {
		if before := builtIn[level.Name]; before != nil {
			return shareOf(level).Shares - shareOf(before).Shares
		}
		return shareOf(level).Shares
	}
	return slices.MaxFunc(sortedByName(levels), func(a, b *flowcontrolv1.PriorityLevelConfiguration) int { return cmp.Compare(increase(a), increase(b)) })
}
