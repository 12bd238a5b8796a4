package validation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

// TestValuesAreValidUpToTheirBounds has the bounds of the API's documentation. A hand needs log2(queues)
// bits of a hash for each card, and has 60.
func TestValuesAreValidUpToTheirBounds(t *testing.T) {
	const spec, queuing, url = "spec.", "spec.limited.limitResponse.queuing.", "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"
	precedence := func(value int32) func(*flowcontrol.FlowSchema, *flowcontrol.PriorityLevelConfiguration) {
		return func(schema *flowcontrol.FlowSchema, _ *flowcontrol.PriorityLevelConfiguration) {
			schema.Spec.MatchingPrecedence = value
		}
	}
	path := func(value string) func(*flowcontrol.FlowSchema, *flowcontrol.PriorityLevelConfiguration) {
		return func(schema *flowcontrol.FlowSchema, _ *flowcontrol.PriorityLevelConfiguration) {
			schema.Spec.Rules[0].NonResourceRules[0].NonResourceURLs = []string{value}
		}
	}
	percent := func(lendable, borrowing int32) func(*flowcontrol.FlowSchema, *flowcontrol.PriorityLevelConfiguration) {
		return func(_ *flowcontrol.FlowSchema, level *flowcontrol.PriorityLevelConfiguration) {
			level.Spec.Limited.LendablePercent, level.Spec.Limited.BorrowingLimitPercent = new(lendable), new(borrowing)
		}
	}
	queues := func(number, handSize, length int32) func(*flowcontrol.FlowSchema, *flowcontrol.PriorityLevelConfiguration) {
		return func(_ *flowcontrol.FlowSchema, level *flowcontrol.PriorityLevelConfiguration) {
			level.Spec.Limited.LimitResponse.Queuing = &flowcontrol.QueuingConfiguration{Queues: number, HandSize: handSize, QueueLengthLimit: length}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*flowcontrol.FlowSchema, *flowcontrol.PriorityLevelConfiguration)
		want   []string // the fields
	}{
		{"a precedence of exempt's", precedence(1), []string{spec + "matchingPrecedence"}},
		{"the first precedence of others", precedence(2), nil},
		{"the last precedence", precedence(10_000), nil},
		{"a precedence beyond", precedence(10_001), []string{spec + "matchingPrecedence"}},
		{"a prefix", path("/a/*"), nil},
		{"two slashes", path("/a//b"), []string{url}},
		{"a part of a name", path("/a*"), []string{url}},
		{"all seats may be lent", percent(100, 1000), nil},
		{"more than all", percent(101, 0), []string{spec + "limited.lendablePercent"}},
		{"less than none", percent(-1, -1), []string{spec + "limited.lendablePercent", spec + "limited.borrowingLimitPercent"}},
		{"as many queues as there may be", queues(10_000_000, 1, 1), nil},
		{"more", queues(10_000_001, 1, 1), []string{queuing + "queues"}},
		{"a hand of all queues", queues(8, 8, 50), nil},
		{"a hand of more", queues(8, 9, 50), []string{queuing + "handSize"}},
		{"a hand of 56 bits", queues(256, 7, 50), nil},
		{"a hand of 64 bits", queues(256, 8, 50), []string{queuing + "handSize"}},
		{"no queue, no hand, no length", queues(0, 0, 0), []string{queuing + "queueLengthLimit", queuing + "queues", queuing + "handSize"}},
		{"zero shares as v1beta3 marks them", func(_ *flowcontrol.FlowSchema, level *flowcontrol.PriorityLevelConfiguration) {
			level.Annotations = map[string]string{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""}
		}, []string{"metadata.annotations"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema, level := validFlowSchema(), validLevel()
			test.change(schema, level)
			var fields []string
			for _, err := range append(validation.ValidateFlowSchema(schema), validation.ValidatePriorityLevelConfiguration(level)...) {
				fields = append(fields, err.Field)
			}
			require.Equal(t, test.want, fields)
		})
	}
}
