package lint

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

const (
	// maxNames bounds how many schemas a message names: a name can have 253
	// bytes, and the message is sent in a header.
	maxNames = 3
	// minPrecedence is the lowest precedence of schemas other than exempt.
	minPrecedence = 2
)

// Finding is one thing that the author probably did not intend.
type Finding struct {
	// Field is the path of the field to look at first.
	Field string
	// Message says what is wrong and what would be right.
	Message string
}

// String returns the finding in the form of an API warning.
func (f Finding) String() string { return f.Field + ": " + f.Message }

// Reader reads the stored configuration. Its errors suppress the findings that
// depend on what could not be read.
type Reader interface {
	// FlowSchemas returns, sorted by name, the FlowSchemas whose masks may
	// intersect the given one. They are read only, and may be slightly out of date.
	FlowSchemas(context.Context, UserMask) ([]*flowcontrol.FlowSchema, error)
	// LevelExists reports whether the priority level exists, perhaps slightly out
	// of date.
	LevelExists(ctx context.Context, name string) (bool, error)
	// LevelIsAbsent reports whether the priority level does not exist, by the most
	// recent state.
	LevelIsAbsent(ctx context.Context, name string) (bool, error)
}

// FlowSchema returns the findings about a FlowSchema that has been written. There
// are none about mandatory FlowSchemas, whose spec is fixed.
func FlowSchema(ctx context.Context, schema *flowcontrol.FlowSchema, stored Reader) []Finding {
	if isMandatorySchema(schema.Name) {
		return nil
	}
	var findings []Finding
	if level := schema.Spec.PriorityLevelConfiguration.Name; isMissing(ctx, level, stored) {
		findings = append(findings, missingLevel(level))
	}
	others, err := stored.FlowSchemas(ctx, MaskOf(schema))
	if err != nil {
		return findings
	}
	if takers := shadowedBy(schema, others, levelLookup(ctx, stored)); len(takers) > 0 {
		findings = append(findings, neverMatches(takers))
	}
	if tied := tiedWith(schema, others); len(tied) > 0 {
		findings = append(findings, precedenceInUse(schema, tied))
	}
	return findings
}

// isMissing reports whether the level does not exist. It confirms a negative
// answer with the store, because the level may just have been created.
func isMissing(ctx context.Context, level string, stored Reader) bool {
	if isMandatoryLevel(level) {
		return false
	}
	if exists, err := stored.LevelExists(ctx, level); err == nil && exists {
		return false
	}
	absent, err := stored.LevelIsAbsent(ctx, level)
	return err == nil && absent
}

// levelLookup returns a function that reports whether a level exists and reads
// each level once.
func levelLookup(ctx context.Context, stored Reader) func(string) bool {
	known := map[string]bool{}
	return func(level string) bool {
		exists, found := known[level]
		if !found {
			inCache, err := stored.LevelExists(ctx, level)
			exists = isMandatoryLevel(level) || err == nil && inCache
			known[level] = exists
		}
		return exists
	}
}

// isMandatoryLevel reports whether the level is in force even if it is not stored.
func isMandatoryLevel(name string) bool {
	return name == flowcontrolv1.PriorityLevelConfigurationNameExempt || name == flowcontrolv1.PriorityLevelConfigurationNameCatchAll
}

func missingLevel(level string) Finding {
	return Finding{"spec.priorityLevelConfiguration.name", fmt.Sprintf("no priority level %q exists, so this FlowSchema matches no request: "+
		"create the PriorityLevelConfiguration or name an existing one", level)}
}

func neverMatches(takers []*flowcontrol.FlowSchema) Finding {
	lowest := takers[0].Spec.MatchingPrecedence
	for _, taker := range takers {
		lowest = min(lowest, taker.Spec.MatchingPrecedence)
	}
	verb := "comes before it and matches"
	if len(takers) > 1 {
		verb = "come before it and together match"
	}
	remedy := fmt.Sprintf("set matchingPrecedence below %d or delete it", lowest)
	if lowest <= minPrecedence {
		remedy = "change its rules or delete it"
	}
	return Finding{"spec.matchingPrecedence", fmt.Sprintf("this FlowSchema can never match: %s %s all its requests: %s", quotedNames(takers), verb, remedy)}
}

func precedenceInUse(schema *flowcontrol.FlowSchema, tied []*flowcontrol.FlowSchema) Finding {
	names := quotedNames(tied)
	if len(tied) == maxTied {
		names = strings.TrimSuffix(names, " more") + " or more others"
	}
	return Finding{"spec.matchingPrecedence", fmt.Sprintf("%d is also the precedence of %s, and some requests match both: the FlowSchema whose name sorts first takes them: "+
		"choose a precedence that no other FlowSchema has", schema.Spec.MatchingPrecedence, names)}
}

// quotedNames lists the names of the first maxNames schemas and the number of the
// others.
func quotedNames(schemas []*flowcontrol.FlowSchema) string {
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
