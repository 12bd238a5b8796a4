package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

const (
	// maxNames bounds how many objects a message names: a name can have 253
	// bytes, and on write the message is sent in a header.
	maxNames = 3
	// minPrecedence is the lowest precedence of schemas other than exempt.
	minPrecedence = 2
)

const (
	levelField      = "spec.priorityLevelConfiguration.name"
	precedenceField = "spec.matchingPrecedence"
)

// judgeSchemas judges each FlowSchema, in matching order.
func (j *judge) judgeSchemas() {
	known := newKnown(&j.Facts)
	schemas, budgets := comparedOf(j.schemas), make([]*budget.Budget, len(j.schemas))
	var before earlier    // whose level exists
	var peers []*Compared // the earlier ones of the precedence at hand
	var never []neverMatching
	for i, schema := range schemas {
		within := j.ofCheck()
		budgets[i] = within
		isDefault := j.defaults.hasSchema(schema.FlowSchema)
		object := schemaObject(schema.Name)
		j.add(expiry(object, schema, j.Now)...)
		if j.Defaults.FlowSchemas != nil {
			j.add(ownership(object, schema, j.defaults.schema(schema.Name) != nil, isDefault)...)
		}
		if !isDefault {
			found := schemaFindings(schema, j.levels[schema.Spec.PriorityLevelConfiguration.Name], known, within)
			j.add(found...)
			j.add(rejectedSchema(schema.FlowSchema, found)...)
		}
		level := schema.Spec.PriorityLevelConfiguration.Name
		if !j.levelExists(level) {
			j.add(missingLevel(schema.FlowSchema, "no request matches it"))
			continue
		}
		covering := shadowedBy(schema, &before, j.levelExists, within)
		j.shadowed[schema.Name] = len(covering) > 0
		if len(peers) > 0 && peers[0].Spec.MatchingPrecedence != schema.Spec.MatchingPrecedence {
			peers = nil
		}
		switch {
		case isMandatorySchema(schema.Name):
		case len(covering) > 0:
			never = append(never, neverMatching{schema.FlowSchema, flowSchemas(covering)})
		default:
			if winners := tiedWith(schema, peers, within); len(winners) > 0 {
				j.add(precedenceInUse(schema, winners, nil, within))
			}
		}
		before.add(schema)
		peers = append(peers, schema)
	}
	j.judgeNever(never)
	j.judgeDiversions(schemas, budgets)
	for i, schema := range schemas {
		j.add(tooLong(schema.FlowSchema, budgets[i], "Use groups and wildcards instead of long lists, or divide the FlowSchema.")...)
	}
}

// flowSchemas returns the schemas that were compared.
func flowSchemas(all []*Compared) []*flowcontrolv1.FlowSchema {
	schemas := make([]*flowcontrolv1.FlowSchema, len(all))
	for i, one := range all {
		schemas[i] = one.FlowSchema
	}
	return schemas
}

// neverMatching is a schema all of whose requests match the earlier ones.
type neverMatching struct {
	*flowcontrolv1.FlowSchema
	covering []*flowcontrolv1.FlowSchema
}

// judgeNever adds FC103: once about schemas that cover several others, or a built-in one, and otherwise about
// each schema that never matches.
func (j *judge) judgeNever(never []neverMatching) {
	victims := map[string][]*flowcontrolv1.FlowSchema{}
	cause := func(n neverMatching) string { return quotedNames(n.covering) }
	for _, n := range never {
		if !slices.ContainsFunc(n.covering, func(c *flowcontrolv1.FlowSchema) bool { return isMandatorySchema(c.Name) || j.defaults.hasSchema(c) }) {
			victims[cause(n)] = append(victims[cause(n)], n.FlowSchema)
		}
	}
	for _, n := range never {
		switch of := victims[cause(n)]; {
		case len(of) == 0 || len(of) == 1 && !j.defaults.hasSchema(of[0]):
			j.add(neverMatches(n.FlowSchema, n.covering))
		case of[0] == n.FlowSchema:
			j.add(coversOthers(n.covering, of))
		}
	}
}

// coversOthers is FC103 about the schema that is the cause, with others.
func coversOthers(causes, victims []*flowcontrolv1.FlowSchema) Finding {
	highest := causes[0].Spec.MatchingPrecedence
	for _, victim := range victims {
		highest = max(highest, victim.Spec.MatchingPrecedence)
	}
	subject, come, match := "This FlowSchema", "comes", "matches"
	if len(causes) > 1 {
		subject, come, match = subject+" and "+quotedNames(causes[1:]), "come", "together match"
	}
	return finding(NeverMatches, schemaObject(causes[0].Name), precedenceField,
		fmt.Sprintf("%s %s before %s and %s all requests that would match there, so no request matches these.", subject, come, quotedNames(victims), match),
		fmt.Sprintf("Set matchingPrecedence above %d, or select fewer requests.", highest)).relatedTo(append(objectsOf(victims), objectsOf(causes[1:])...)...)
}

// schemaFindings returns what a schema that is not built in shows without others. Its level is nil if it is
// not known.
func schemaFindings(schema *Compared, level *flowcontrolv1.PriorityLevelConfiguration, facts *known, within *budget.Budget) []Finding {
	return slices.Concat(ruleFindings(schema, facts, within), exemptions(schema.FlowSchema, level), oneFlow(schema.FlowSchema, level), madeUpNamespaces(schema.FlowSchema))
}

// missingLevel is FC101.
func missingLevel(schema *flowcontrolv1.FlowSchema, effect string) Finding {
	level := schema.Spec.PriorityLevelConfiguration.Name
	return finding(MissingLevel, schemaObject(schema.Name), levelField,
		fmt.Sprintf("No priority level %q exists, so %s.", level, effect),
		"Create the PriorityLevelConfiguration, or name an existing one.").relatedTo(levelObject(level))
}

// neverMatches is FC103.
func neverMatches(schema *flowcontrolv1.FlowSchema, covering []*flowcontrolv1.FlowSchema) Finding {
	lowest := covering[0].Spec.MatchingPrecedence
	for _, one := range covering {
		lowest = min(lowest, one.Spec.MatchingPrecedence)
	}
	verb := "comes before it and matches"
	if len(covering) > 1 {
		verb = "come before it and together match"
	}
	remedy := fmt.Sprintf("Set matchingPrecedence below %d, or delete the FlowSchema.", lowest)
	if lowest <= minPrecedence {
		remedy = "Change its rules, or delete the FlowSchema."
	}
	return finding(NeverMatches, schemaObject(schema.Name), precedenceField,
		fmt.Sprintf("This FlowSchema can never match: %s %s all its requests.", quotedNames(covering), verb), remedy).relatedTo(objectsOf(covering)...)
}

// precedenceInUse is FC104 about schemas that come before the schema and after it, by their names.
func precedenceInUse(schema *Compared, before, after []*Compared, within *budget.Budget) Finding {
	winners, losers := flowSchemas(before), flowSchemas(after)
	tied := slices.Concat(winners, losers)
	var text string
	switch {
	case len(losers) == 0:
		text = fmt.Sprintf("%s and some requests match both; %s, because names decide and %s before %q.",
			alsoOf(schema.FlowSchema, winners), gets(winners), sorts(winners), schema.Name)
	case len(winners) == 0:
		text = fmt.Sprintf("%s and some requests match both; this FlowSchema gets them, because names decide and %q sorts first.",
			alsoOf(schema.FlowSchema, losers), schema.Name)
	default:
		text = fmt.Sprintf("%s and some requests match both; names decide: %s before this FlowSchema, which comes before %s.",
			alsoOf(schema.FlowSchema, tied), sorts(winners), quotedNames(losers))
	}
	severity := Info
	if slices.ContainsFunc(slices.Concat(before, after), func(other *Compared) bool { return matters(schema, other, within) }) {
		severity = Warning
	}
	return finding(SamePrecedence, schemaObject(schema.Name), precedenceField, text,
		"Give each its own precedence, in the order of matching that you want.").as(severity).relatedTo(objectsOf(tied)...)
}

// matters reports whether it makes a difference which of two overlapping schemas gets a
// request. It does not if they treat it alike, and may not if only unknown group
// memberships make them overlap.
func matters(a, b *Compared, within *budget.Budget) bool {
	return a.Spec.PriorityLevelConfiguration != b.Spec.PriorityLevelConfiguration && a.overlaps(b, within)
}

func alsoOf(schema *flowcontrolv1.FlowSchema, others []*flowcontrolv1.FlowSchema) string {
	names := quotedNames(others)
	if len(others) >= maxTied {
		names = strings.TrimSuffix(names, " more") + " or more others"
	}
	return fmt.Sprintf("%d is also the precedence of %s,", schema.Spec.MatchingPrecedence, names)
}

func gets(schemas []*flowcontrolv1.FlowSchema) string {
	if len(schemas) == 1 {
		return strconv.Quote(schemas[0].Name) + " gets them"
	}
	return "these get them"
}

func sorts(schemas []*flowcontrolv1.FlowSchema) string {
	if len(schemas) == 1 {
		return strconv.Quote(schemas[0].Name) + " sorts"
	}
	return quotedNames(schemas) + " sort"
}

// quotedNames lists the names of the first maxNames schemas and the number of the
// others.
func quotedNames(schemas []*flowcontrolv1.FlowSchema) string {
	var all []string
	for _, schema := range schemas {
		all = append(all, schema.Name)
	}
	return quoted(all)
}

// quoted lists the first maxNames names and the number of the others.
func quoted(all []string) string {
	var names []string
	for _, name := range all[:min(len(all), maxNames)] {
		names = append(names, strconv.Quote(name))
	}
	if more := len(all) - maxNames; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}

func objectsOf(schemas []*flowcontrolv1.FlowSchema) []Object {
	objects := make([]Object, len(schemas))
	for i, schema := range schemas {
		objects[i] = schemaObject(schema.Name)
	}
	return objects
}

// exemptions is FC113: rules that send the resource requests of many clients to an
// exempt level.
func exemptions(schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) []Finding {
	isExempt := schema.Spec.PriorityLevelConfiguration.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt ||
		level != nil && level.Spec.Type == flowcontrolv1.PriorityLevelEnablementExempt
	if !isExempt || isMandatorySchema(schema.Name) {
		return nil
	}
	var findings []Finding
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		if len(rule.ResourceRules) == 0 {
			continue
		}
		for k := range rule.Subjects {
			if users, ok := usersOf(&rule.Subjects[k]); ok && users.IsBroad() {
				findings = append(findings, finding(BroadExemption, schemaObject(schema.Name), fmt.Sprintf("spec.rules[%d].subjects[%d]", i, k),
					"This sends the requests of many clients to an exempt priority level, where nothing limits them.",
					"Name the few clients that must never wait, or use a limited priority level with many shares."))
				break
			}
		}
	}
	return findings
}
