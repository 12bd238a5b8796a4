package api

import (
	"fmt"
	"net/http"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// together is the number of generated objects of a case.
const together = 10

// generatedCases returns how many cases of generated objects run on a pair of servers.
func generatedCases() int { return lane.Pick(12, 400) }

// generated writes generated objects, valid and invalid ones, in every encoding. With versions, every
// second write is in v1beta3, and each object is read in both.
func (p *pair) generated(t *testing.T) {
	seed := lane.Seed(t)
	for i := range generatedCases() {
		c := testCase{name: fmt.Sprintf("generated objects %d", i)}
		for j := range together {
			c.steps = append(c.steps, generatedSteps(seed, i*together+j, p.emulated)...)
		}
		p.lead(t, c)
		if t.Failed() {
			return
		}
	}
}

// generatedSteps try to create an object, then create another, replace its spec and its status, and
// read it.
func generatedSteps(seed uint64, number int, versions bool) []step {
	g := objects.New(seed, uint64(number), []float64{0, 0.01, 0.2}[number%3])
	kind := []string{"FlowSchema", "PriorityLevelConfiguration"}[g.IntN(2)]
	resource := map[string]string{"FlowSchema": "flowschemas", "PriorityLevelConfiguration": "prioritylevelconfigurations"}[kind]
	writes := 0
	write := func(method, rest, object string) step {
		writes++
		version := v1Path
		if versions && (number+writes)%2 == 1 {
			version, object = v1beta3Path, inBeta(object)
		}
		return encodedAs(ask(method, version+resource+rest, object), (number+writes)%3).asPeer()
	}
	name := fmt.Sprintf("generated-%d", number)
	steps := []step{
		write(http.MethodPost, "?dryRun=All", toJSON(g, kind, "")), write(http.MethodPost, "", toJSON(g, kind, name)),
		write(http.MethodPut, "/"+name, toJSON(g, kind, name)), write(http.MethodPut, "/"+name+"/status", toJSON(g, kind, name)),
		get(resource + "/" + name).asPeer(),
	}
	if versions {
		steps = append(steps, get(v1beta3Path+resource+"/"+name).asPeer())
	}
	return steps
}

// toJSON returns the next generated object. One that has a given name is stored: it has nothing that
// a garbage collector or the keeper of the built-in objects acts on.
func toJSON(g *objects.Generator, kind, name string) string {
	schema, level := g.FlowSchema(), g.Level()
	tree, metadata := objects.Tree(schema), &schema.ObjectMeta
	if kind == "PriorityLevelConfiguration" {
		tree, metadata = objects.Tree(level), &level.ObjectMeta
	}
	object := having(having(string(objects.Encode(tree)), "apiVersion", flowcontrolv1.SchemeGroupVersion.String()), "kind", kind)
	object = having(object, "metadata.generateName", nil)
	if name == "" {
		return object
	}
	object = having(having(object, "metadata.name", name), "metadata.finalizers", nil)
	if _, kept := metadata.Annotations[flowcontrolv1.AutoUpdateAnnotationKey]; kept {
		object = having(object, "metadata.annotations", nil)
	}
	return object
}

// encodedAs sends the step's body in JSON, YAML or protobuf.
func encodedAs(s step, encoding int) step {
	switch encoding {
	case 1:
		s.body = toYAML(s.body)
		return s.with("Content-Type", "application/yaml")
	case 2:
		s.body = toProtobuf(s.body)
		return s.with("Content-Type", protobufType)
	}
	return s
}
