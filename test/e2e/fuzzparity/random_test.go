package fuzzparity

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// degree is how far random objects are from valid ones.
type degree struct {
	name string
	// wildness is the probability of a bad choice, mutation of replacing a node of the JSON,
	// damaged of damaged bytes.
	wildness, mutation, damaged float64
	// acceptedFrom and acceptedTo bound the share of accepted attempts. They detect
	// a generator that does not match its name.
	acceptedFrom, acceptedTo float64
}

func degrees() []degree {
	return []degree{
		{name: "valid", acceptedFrom: 0.5, acceptedTo: 1},
		{name: "nearly valid", wildness: 0.01, mutation: 0.002, damaged: 0.05, acceptedFrom: 0.2, acceptedTo: 0.8},
		{name: "wild", wildness: 0.2, mutation: 0.01, damaged: 0.3, acceptedFrom: 0.01, acceptedTo: 0.3},
	}
}

// degreeOf returns the degree of a random attempt.
func degreeOf(i int) degree { return degrees()[i%len(degrees())] }

func pick[T any](g *objects.Generator, things ...T) T { return things[g.IntN(len(things))] }

// newAttempt returns dry run i of a seed.
func newAttempt(seed uint64, i int) attempt {
	degree := degreeOf(i)
	g := objects.New(seed, uint64(i), degree.wildness)
	a := attempt{
		verb:    pick(g, verbCreate, verbCreate, verbUpdate, verbUpdate, verbStatus),
		kind:    pick(g, kindSchema, kindLevel),
		version: pick(g, versionNew, versionNew, versionOld),
		form:    forms()[g.IntN(3)],
		query:   "dryRun=All" + pick(g, "", "", "&fieldValidation=Strict", "&fieldValidation=Ignore", "&fieldValidation=Warn"),
	}
	tree := newTree(g, a.kind)
	a.target = name(tree)
	if a.verb != verbCreate {
		a.aim(g, tree)
	}
	a.spoil(g, tree, degree)
	return a
}

func newTree(g *objects.Generator, kind string) map[string]any {
	return treeOf(kind, g.FlowSchema(), g.Level())
}

// treeOf returns the JSON tree of the object of the kind, with apiVersion and
// kind.
func treeOf(kind string, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) map[string]any {
	tree := objects.Tree(level)
	if kind == kindSchema {
		tree = objects.Tree(schema)
	}
	tree["apiVersion"], tree["kind"] = flowcontrolv1.GroupName+"/"+versionNew, kind
	return tree
}

func name(tree map[string]any) string {
	text, _ := tree["metadata"].(map[string]any)["name"].(string)
	return text
}

// aim makes an attempt an update of an existing object in most cases, sometimes
// with preconditions.
func (a *attempt) aim(g *objects.Generator, tree map[string]any) {
	metadata := tree["metadata"].(map[string]any)
	delete(metadata, "generateName")
	if a.target != "exempt" && a.target != "catch-all" {
		a.target = pick(g, "target", "target", "target", "system-nodes", "leader-election")
		if a.kind == kindSchema && a.target == "leader-election" {
			a.target = "probes"
		}
		metadata["name"] = a.target
	}
	metadata["resourceVersion"] = pick(g, "", "", currentVersion, currentVersion)
	metadata["uid"] = pick(g, "", currentUID)
}

// spoil derives the attempt's object from the tree, with the errors of the degree.
func (a *attempt) spoil(g *objects.Generator, tree map[string]any, degree degree) {
	metadata := tree["metadata"].(map[string]any)
	if g.Wild() {
		metadata["resourceVersion"] = pick(g, "0", "1", "abc", "-1", "18446744073709551616", "999999999", currentVersion)
	}
	if g.Wild() {
		metadata["uid"] = pick(g, "other", currentUID)
	}
	if g.Wild() {
		metadata["creationTimestamp"] = pick(g, "2001-02-03T04:05:06Z", "yesterday", "")
	}
	if g.Wild() {
		metadata["deletionTimestamp"] = pick(g, "2001-02-03T04:05:06Z", "2001-02-03")
	}
	if g.Wild() {
		a.target = pick(g, "missing", "target", "exempt", "Bad_Name")
	}
	if g.Wild() {
		a.query = pick(g, "dryRun=All&fieldManager=m%0A", "dryRun=All&fieldManager=me")
	}
	if g.Wild() && a.version == versionNew {
		a.form = pick(g, forms()...)
	}
	if a.version == versionOld {
		tree = toV1beta3(g, tree)
	}
	mutated := objects.Mutate(g, any(tree), degree.mutation)
	if g.Chance(degree.damaged) && a.version == versionNew {
		a.damage = newDamage(g)
	}
	a.tree = objects.Encode(mutated)
	if a.damage != nil {
		// Versions of different lengths would move the damage.
		a.tree = fillIn(a.tree, identity{UID: currentUID, ResourceVersion: "1"})
	}
}

// newStory returns a sequence of real writes of one object.
func newStory(seed uint64, i int) []attempt {
	degree := degreeOf(i)
	g := objects.New(seed, uint64(i)|1<<32, degree.wildness/10)
	kind, target := pick(g, kindSchema, kindLevel), fmt.Sprintf("story-%d", i)
	step := func(verb verb) attempt {
		a := attempt{verb: verb, kind: kind, target: target, form: forms()[g.IntN(3)], version: pick(g, versionNew, versionNew, versionOld)}
		tree := treeOf(kind, g.FlowSchema(), objects.WithFewQueues(g.Level()))
		metadata := tree["metadata"].(map[string]any)
		metadata["name"] = target
		delete(metadata, "finalizers")
		// The servers delete unknown objects with the auto-update annotation.
		delete(metadata, "annotations")
		delete(metadata, "generateName")
		if a.version == versionOld {
			tree = toV1beta3(g, tree)
		}
		a.tree = objects.Encode(tree)
		return a
	}
	read := attempt{verb: verbRead, kind: kind, target: target, version: versionNew}
	readOld, remove := read, read
	readOld.version, remove.verb = versionOld, verbDelete
	return []attempt{step(verbCreate), read, step(verbUpdate), readOld, step(verbStatus), read, step(verbCreate), step(verbUpdate), readOld, remove, read}
}
