package install_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// The defaults are in the documentation of the fields in k8s.io/api/flowcontrol.
func TestOmittedFieldsHaveDefaultsInEachVersion(t *testing.T) {
	decoder := serializer.NewCodecFactory(install.NewScheme()).UniversalDecoder(flowcontrol.SchemeGroupVersion)
	for _, version := range []string{"v1", "v1beta3"} {
		for _, test := range []struct {
			kind, spec string
			want       any
		}{
			{"FlowSchema", `{}`, flowcontrol.FlowSchemaSpec{MatchingPrecedence: 1000}},
			{"FlowSchema", `{"matchingPrecedence":1}`, flowcontrol.FlowSchemaSpec{MatchingPrecedence: 1}},
			{"PriorityLevelConfiguration", `{"exempt":{}}`, flowcontrol.PriorityLevelConfigurationSpec{
				Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: new(int32(0)), LendablePercent: new(int32(0))},
			}},
			{"PriorityLevelConfiguration", `{"limited":{"limitResponse":{"queuing":{}}}}`, flowcontrol.PriorityLevelConfigurationSpec{
				Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
					NominalConcurrencyShares: new(int32(30)), LendablePercent: new(int32(0)),
					LimitResponse: flowcontrol.LimitResponse{Queuing: &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50}},
				},
			}},
			{"PriorityLevelConfiguration", `{"limited":{"nominalConcurrencyShares":5,"lendablePercent":7,"limitResponse":{"queuing":{"queues":1,"handSize":2,"queueLengthLimit":3}}}}`, flowcontrol.PriorityLevelConfigurationSpec{
				Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
					NominalConcurrencyShares: new(int32(5)), LendablePercent: new(int32(7)),
					LimitResponse: flowcontrol.LimitResponse{Queuing: &flowcontrol.QueuingConfiguration{Queues: 1, HandSize: 2, QueueLengthLimit: 3}},
				},
			}},
		} {
			object, _, err := decoder.Decode([]byte(`{"apiVersion":"flowcontrol.apiserver.k8s.io/`+version+`","kind":"`+test.kind+`","spec":`+test.spec+`}`), nil, nil)
			require.NoError(t, err)
			switch object := object.(type) {
			case *flowcontrol.FlowSchema:
				require.Equal(t, test.want, object.Spec, "%s %s", version, test.spec)
			case *flowcontrol.PriorityLevelConfiguration:
				require.Equal(t, test.want, object.Spec, "%s %s", version, test.spec)
			default:
				t.Fatalf("decoded a %T", object)
			}
		}
	}
}
