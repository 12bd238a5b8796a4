package lint

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A change makes a bundle of the schema and the level "mine" deserve a finding, or not.
type change func(*Bundle, *flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration)

// checkCase is a positive or a negative case of a code.
type checkCase struct {
	name   string
	code   Code
	change change
	// want is the severity and the field of each finding of the code.
	want []string
}

// faultless returns a bundle without findings, and its schema and its level.
func faultless() (Bundle, *flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration) {
	wild := []string{wildcard}
	schema := schemaOf("mine", 1000, flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:         []flowcontrolv1.Subject{anAccount("team", "worker")},
		ResourceRules:    []flowcontrolv1.ResourcePolicyRule{{Verbs: wild, APIGroups: []string{""}, Resources: []string{"pods", "pods/status"}, ClusterScope: true, Namespaces: wild}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/version", "/metrics/*"}}},
	})
	schema.Spec.PriorityLevelConfiguration.Name = "mine"
	schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}
	level.Spec.Type = flowcontrolv1.PriorityLevelEnablementLimited
	level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: new(int32(20)), LendablePercent: new(int32(50)), BorrowingLimitPercent: new(int32(100)),
		LimitResponse: flowcontrolv1.LimitResponse{
			Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 64, HandSize: 6, QueueLengthLimit: 50},
		},
	}
	bundle := inCluster([]*flowcontrolv1.FlowSchema{&schema}, []*flowcontrolv1.PriorityLevelConfiguration{level})
	bundle.Documents = []Document{{Object: schemaObject("mine"), APIVersion: "flowcontrol.apiserver.k8s.io/v1"}}
	bundle.Facts = Facts{
		Namespaces: []string{"default", "kube-system", "team"}, ServiceAccounts: map[string][]string{"team": {"worker"}, "default": {"default"}},
		Resources: []Resource{{Name: "pods", Namespaced: true}, {Name: "pods/status", Namespaced: true}, {Name: "nodes"}, {Name: "namespaces"}, {Group: "apps", Name: "deployments", Namespaced: true}},
	}
	return bundle, &schema, level
}

func TestFaultlessBundleHasNoFindings(t *testing.T) {
	bundle, _, _ := faultless()
	require.Empty(t, summary(Check(bundle)))
}

func TestEachCode(t *testing.T) {
	cases := slices.Concat(ruleCases(), levelCases(), builtInCases(), manifestCases(), serverCases(), clientCases())
	seen := map[Code]map[bool]bool{}
	for _, test := range cases {
		if seen[test.code] == nil {
			seen[test.code] = map[bool]bool{}
		}
		seen[test.code][len(test.want) > 0] = true
		t.Run(fmt.Sprint(test.code, " ", test.name), func(t *testing.T) {
			bundle, schema, level := faultless()
			test.change(&bundle, schema, level)
			var got []string
			for _, f := range Check(bundle) {
				if f.Code == test.code {
					got = append(got, strings.TrimSpace(fmt.Sprint(f.Severity, " ", f.Field)))
				}
			}
			require.Equal(t, test.want, got, text(Check(bundle)))
		})
	}
	for _, code := range codes() {
		assert.True(t, seen[code][true] && seen[code][false], "%s needs a positive and a negative case", code)
	}
}

// Every code has its section in the document, and the other way round, with the
// headings that each section must have.
func TestEveryCodeIsDocumented(t *testing.T) {
	content, err := os.ReadFile("../../" + document)
	require.NoError(t, err)
	var documented []Code
	for _, heading := range regexp.MustCompile(`(?m)^### (FC\d+)$`).FindAllSubmatch(content, -1) {
		documented = append(documented, Code(heading[1]))
	}
	codes := codes()
	require.Equal(t, codes, documented)
	for _, e := range table() {
		assert.Contains(t, string(content), fmt.Sprintf("\n| [%s](#%s) | %s | %s |\n", e.code, strings.ToLower(string(e.code)), e.severity, e.title), "the index")
	}
	for i, section := range bytes.Split(content, []byte("\n### FC"))[1:] {
		for _, part := range []string{"**What:** ", "**Why it hurts:** ", "**What to do:** ", "**Example:** "} {
			assert.Contains(t, string(section), part, codes[i])
		}
	}
}

func TestCodesAreUniqueAndGrouped(t *testing.T) {
	codes := codes()
	require.True(t, slices.IsSorted(codes))
	require.Len(t, slices.Compact(slices.Clone(codes)), len(codes))
	for _, code := range codes {
		require.Regexp(t, `^FC[1-6]\d\d$`, code)
	}
}

// codes returns all codes.
func codes() (codes []Code) {
	for _, e := range table() {
		codes = append(codes, e.code)
	}
	return codes
}
