package lint

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

const (
	// maxNames bounds how many schemas a warning names; a name may have 253
	// bytes, and headers are read by people.
	maxNames = 3
	// lowestPrecedence is the lowest that a schema other than exempt may have.
	lowestPrecedence = 2
)

// Catalogue is what is stored. An error means that something is not known, and
// no advice follows from it.
type Catalogue interface {
	// FlowSchemas returns the schemas whose users may meet these, by name. They
	// must not be changed, and may lag a little behind the store.
	FlowSchemas(context.Context, Users) ([]*flowcontrol.FlowSchema, error)
	// LevelExists tells whether there is a priority level of that name. This, too,
	// may lag behind the store.
	LevelExists(ctx context.Context, name string) (bool, error)
	// LevelIsAbsent asks the store itself.
	LevelIsAbsent(ctx context.Context, name string) (bool, error)
}

// For returns what there is to tell about writing the schema, one sentence each,
// in the form of API warnings. There is nothing to tell about mandatory schemas,
// which cannot be otherwise.
func For(ctx context.Context, schema *flowcontrol.FlowSchema, stored Catalogue) []string {
	if isMandatory(schema) {
		return nil
	}
	var advice []string
	if level := schema.Spec.PriorityLevelConfiguration.Name; isMissing(ctx, level, stored) {
		advice = append(advice, aboutLevel(level))
	}
	others, err := stored.FlowSchemas(ctx, UsersOf(schema))
	if err != nil {
		return advice
	}
	if takers := shadowedBy(schema, others, known(ctx, stored)); len(takers) > 0 {
		advice = append(advice, aboutShadow(takers))
	}
	if tied := tiedWith(schema, others); len(tied) > 0 {
		advice = append(advice, aboutTie(schema, tied))
	}
	return advice
}

// isMissing asks the store before it says so: the level may have been written a
// moment ago.
func isMissing(ctx context.Context, level string, stored Catalogue) bool {
	if isMandatoryLevel(level) {
		return false
	}
	if exists, err := stored.LevelExists(ctx, level); err == nil && exists {
		return false
	}
	absent, err := stored.LevelIsAbsent(ctx, level)
	return err == nil && absent
}

// known asks about each level once.
func known(ctx context.Context, stored Catalogue) func(string) bool {
	answers := map[string]bool{}
	return func(level string) bool {
		answer, asked := answers[level]
		if !asked {
			exists, err := stored.LevelExists(ctx, level)
			answer = isMandatoryLevel(level) || err == nil && exists
			answers[level] = answer
		}
		return answer
	}
}

// isMandatoryLevel tells whether the level is one whose built-in form acts where
// it is not stored.
func isMandatoryLevel(name string) bool {
	return name == flowcontrol.PriorityLevelConfigurationNameExempt || name == flowcontrol.PriorityLevelConfigurationNameCatchAll
}

func aboutLevel(level string) string {
	return fmt.Sprintf("spec.priorityLevelConfiguration.name: no priority level %q exists; until it does, this schema matches no request: "+
		"create the PriorityLevelConfiguration, or name one that exists", level)
}

func aboutShadow(takers []*flowcontrol.FlowSchema) string {
	lowest := takers[0].Spec.MatchingPrecedence
	for _, taker := range takers {
		lowest = min(lowest, taker.Spec.MatchingPrecedence)
	}
	verb := "comes before it and takes"
	if len(takers) > 1 {
		verb = "come before it and together take"
	}
	remedy := fmt.Sprintf("give it a matchingPrecedence below %d, or delete it", lowest)
	if lowest <= lowestPrecedence {
		remedy = "change what it matches, or delete it"
	}
	return fmt.Sprintf("spec.matchingPrecedence: this schema can never match, because %s %s every request that it would: %s", quoted(takers), verb, remedy)
}

func aboutTie(schema *flowcontrol.FlowSchema, tied []*flowcontrol.FlowSchema) string {
	names := quoted(tied)
	if len(tied) == mostTied {
		names = strings.TrimSuffix(names, " more") + " or more others"
	}
	return fmt.Sprintf("spec.matchingPrecedence: %d is also that of %s, and some requests match both: the schema whose name sorts first takes them; "+
		"give this one a precedence of its own", schema.Spec.MatchingPrecedence, names)
}

// quoted lists the names of the schemas, the first few of them.
func quoted(schemas []*flowcontrol.FlowSchema) string {
	var names []string
	for _, schema := range schemas[:min(len(schemas), maxNames)] {
		names = append(names, strconv.Quote(schema.Name))
	}
	if more := len(schemas) - maxNames; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}
