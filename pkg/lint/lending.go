package lint

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const (
	lendableField  = "spec.limited.lendablePercent"
	borrowingField = "spec.limited.borrowingLimitPercent"
)

// noEffect is FC208.
func noEffect(level, field, message, remedy string) Finding {
	return finding(NoBorrowingEffect, levelObject(level), field, message, remedy)
}

// roundedToNothing is FC208 for percentages of the level's own seats that are less than
// half a seat. limits are nil if unknown.
func roundedToNothing(level *flowcontrolv1.PriorityLevelConfiguration, limits *allocation.Limits) []Finding {
	limited := level.Spec.Limited
	if limits == nil || limits.Nominal == 0 {
		return nil // without seats: FC201 or FC206
	}
	var findings []Finding
	if percent := ptr.Deref(limited.LendablePercent, 0); percent > 0 && limits.Lower == limits.Nominal {
		findings = append(findings, noEffect(level.Name, lendableField,
			fmt.Sprintf("%d%% of the level's %d seats is less than one seat, so it lends none.", percent, limits.Nominal), "Raise the shares or the percentage, or omit it."))
	}
	if percent := ptr.Deref(limited.BorrowingLimitPercent, 0); percent > 0 && limits.Upper == limits.Nominal {
		findings = append(findings, noEffect(level.Name, borrowingField,
			fmt.Sprintf("%d %% of the level's %d seats adds no whole seat, so it borrows none.", percent, limits.Nominal), "Raise the shares or the percentage, or omit it."))
	}
	return findings
}

// lending is FC208 for levels that want to borrow while no other level lends, or to
// lend while no other level borrows.
func lending(levels []*flowcontrolv1.PriorityLevelConfiguration, limits map[string]allocation.Limits) []Finding {
	lenders, borrowers := map[string]bool{}, map[string]bool{}
	for _, level := range levels {
		l := limits[level.Name]
		if l.Lower < l.Nominal {
			lenders[level.Name] = true
		}
		if level.Spec.Limited != nil && l.Upper > l.Nominal {
			borrowers[level.Name] = true
		}
	}
	var findings []Finding
	for _, level := range levels {
		if level.Spec.Limited == nil {
			continue
		}
		if ptr.Deref(level.Spec.Limited.BorrowingLimitPercent, 0) > 0 && borrowers[level.Name] && !hasOther(lenders, level.Name) {
			findings = append(findings, noEffect(level.Name, borrowingField, "No other level lends seats, so this one has nothing to borrow.",
				"Set lendablePercent of another level, or omit borrowingLimitPercent."))
		}
		if lenders[level.Name] && !hasOther(borrowers, level.Name) {
			findings = append(findings, noEffect(level.Name, lendableField, "No other level may borrow seats, so this one cannot lend.",
				"Raise or omit borrowingLimitPercent of another level, or omit lendablePercent."))
		}
	}
	return findings
}

// hasOther reports whether a level other than the named one is in the set.
func hasOther(levels map[string]bool, name string) bool {
	return len(levels) > 1 || len(levels) == 1 && !levels[name]
}
