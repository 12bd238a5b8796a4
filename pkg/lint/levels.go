package lint

import (
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// judgeLevels judges each level, by name.
func (j *judge) judgeLevels() {
	users := schemasByLevel(j.schemas)
	for _, level := range sortedByName(j.levels) {
		builtIn, isDefault := j.defaults.level(level.Name) != nil, j.defaults.hasLevel(level)
		if j.Defaults.PriorityLevels != nil {
			j.add(ownership(levelObject(level.Name), level, builtIn, isDefault)...)
		}
		j.add(expiry(levelObject(level.Name), level, j.Now)...)
		invalid := rejectedLevel(level)
		j.add(invalid...)
		if len(invalid) == 0 {
			j.add(levelFindings(level, j.limits, j.Total)...)
			j.add(sharedHands(level, users[level.Name])...)
		}
		if len(users[level.Name]) == 0 && !builtIn && !isMandatoryLevel(level.Name) {
			j.add(unusedLevel(level.Name))
		}
		if level.DeletionTimestamp != nil {
			j.add(deletedInUse(level.Name, users[level.Name])...)
		}
	}
	for _, object := range j.Deleted {
		if object.Kind == kindPriorityLevel && j.levels[object.Name] == nil {
			j.add(deletedInUse(object.Name, users[object.Name])...)
		}
	}
	j.add(sharesDrop(j.levels, j.defaults, j.Total)...)
	j.add(lending(sortedByName(j.levels), j.limits)...)
}

func schemasByLevel(schemas []*flowcontrolv1.FlowSchema) map[string][]*flowcontrolv1.FlowSchema {
	found := map[string][]*flowcontrolv1.FlowSchema{}
	for _, schema := range schemas {
		level := schema.Spec.PriorityLevelConfiguration.Name
		found[level] = append(found[level], schema)
	}
	return found
}

// levelFindings returns the findings about a valid level: FC201, FC205, FC206, FC208 and
// FC209. The limits of levels are nil if unknown.
func levelFindings(level *flowcontrolv1.PriorityLevelConfiguration, all map[string]allocation.Limits, total int) []Finding {
	limited := level.Spec.Limited
	if limited == nil {
		return nil
	}
	var limits *allocation.Limits
	if l, known := all[level.Name]; known {
		limits = &l
	}
	var findings []Finding
	if queuing := queuingOf(level); queuing != nil {
		if ptr.Deref(limited.NominalConcurrencyShares, 0) == 0 {
			findings = append(findings, noSeats(level))
		}
		if limits != nil {
			findings = append(findings, queuesTooLong(level.Name, queuing, limits.Nominal)...)
		}
	}
	if _, isDemotion := level.Annotations[names.ExpiresAnnotation]; limits != nil && !isDemotion { // which has few seats on purpose
		findings = append(findings, fewSeats(level, limits.Nominal, total)...)
	}
	if ptr.Deref(limited.LendablePercent, 0) == 100 && ptr.Deref(limited.NominalConcurrencyShares, 0) > 0 {
		findings = append(findings, finding(LendsAll, levelObject(level.Name), "spec.limited.lendablePercent",
			"This level may lend all its seats, and after a time without requests its next ones wait until seats are divided again, every 10 seconds.",
			"Lower lendablePercent, so that the level keeps some seats."))
	}
	return append(findings, roundedToNothing(level, limits)...)
}

// noSeats is FC201.
func noSeats(level *flowcontrolv1.PriorityLevelConfiguration) Finding {
	message := "This level has no nominal seats, so its requests wait in queues until it has borrowed seats or they are rejected."
	if level.Spec.Limited.BorrowingLimitPercent != nil {
		message = "This level has no seats, and a percentage of none lets it borrow none, so its requests wait in queues until they are rejected."
	}
	return finding(NoSeats, levelObject(level.Name), sharesField, message, "Raise nominalConcurrencyShares, or use the limit response Reject.")
}

// unusedLevel is FC202.
func unusedLevel(name string) Finding {
	return finding(UnusedLevel, levelObject(name), "", "No FlowSchema names this level, so only requests that borrow use its seats.",
		"Name it in a FlowSchema, or delete it.")
}

// deletedInUse is FC203.
func deletedInUse(name string, users []*flowcontrolv1.FlowSchema) []Finding {
	if len(users) == 0 {
		return nil
	}
	who, them := "FlowSchema "+quotedNames(users)+" names this level, and matches", "it"
	if len(users) > 1 {
		who, them = "FlowSchemas "+quotedNames(users)+" name this level, and match", "them"
	}
	return []Finding{finding(DeletedInUse, levelObject(name), "",
		who+" no request once it is deleted.", fmt.Sprintf("Delete %s too, or name another level in %s.", them, them)).relatedTo(objectsOf(users)...)}
}

// squishLimit is the least probability for a finding about the queues of one elephant.
const squishLimit = 0.01

// sharedHands is FC204. It is about a kube-apiserver: on this server each flow has a queue.
func sharedHands(level *flowcontrolv1.PriorityLevelConfiguration, users []*flowcontrolv1.FlowSchema) []Finding {
	name, queuing := level.Name, queuingOf(level)
	if queuing == nil || len(users) == 1 && hasOneFlow(users[0]) {
		return nil
	}
	squish := func(elephants int) float64 {
		return squishProbability(int(queuing.Queues), int(queuing.HandSize), elephants)
	}
	if squish(1) <= squishLimit {
		return nil
	}
	if queuing.Queues == 1 {
		return []Finding{finding(SharedHands, levelObject(name), "spec.limited.limitResponse.queuing",
			"On a kube-apiserver with 1 queue, a light flow always waits behind a heavy flow.", "Use more queues, for example 64 queues and a hand size of 8.")}
	}
	return []Finding{finding(SharedHands, levelObject(name), "spec.limited.limitResponse.queuing",
		fmt.Sprintf("On a kube-apiserver with %d queues and a hand size of %d, a light flow shares all its queues with heavy flows with a probability of %s for 1 heavy flow, %s for 4 and %s for 16.",
			queuing.Queues, queuing.HandSize, percentage(squish(1)), percentage(squish(4)), percentage(squish(16))),
		"Use more queues or another hand size, for example 64 queues and a hand size of 8.")}
}

func percentage(probability float64) string { return fmt.Sprintf("%.3g %%", 100*probability) }

const (
	// longestWait is how long a request waits at most: a quarter of the default of
	// --request-timeout.
	longestWait = 15 * time.Second
	// quickRequest is the duration of a quick request. Most are slower.
	quickRequest = 100 * time.Millisecond
)

// queuesTooLong is FC205. A queue on its own, with all nominal seats of the level, is
// served nominal · longestWait / quickRequest requests before the last one has waited
// too long.
func queuesTooLong(name string, queuing *flowcontrolv1.QueuingConfiguration, nominal int) []Finding {
	served := nominal * int(longestWait/quickRequest)
	if nominal == 0 || int(queuing.QueueLengthLimit) <= served {
		return nil
	}
	return []Finding{finding(QueuesTooLong, levelObject(name), "spec.limited.limitResponse.queuing.queueLengthLimit",
		fmt.Sprintf("A queue may hold %d requests, but %d seats serve at most %d requests of %v within the longest wait of %v; the others occupy memory until they are rejected.",
			queuing.QueueLengthLimit, nominal, served, quickRequest, longestWait),
		fmt.Sprintf("Set queueLengthLimit to at most %d; the default is 50.", served))}
}
