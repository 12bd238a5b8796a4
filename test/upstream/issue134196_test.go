package flowcontrol_test

import (
	"testing"
	"testing/synctest"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/utils/ptr"
)

// TestNoSeatsNoExecution sends requests to priority levels without queues. "jail" never has a seat.
// "lender" has lent its seats and must get them back.
func TestNoSeatsNoExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controller, factory := newController(100,
			levelThatRejects("jail", 0, 0), schemaOf("jail"), levelThatRejects("lender", 10, 100), schemaOf("lender"))
		run(t, controller, factory)
		<-time.After(time.Minute) // all have lent what they do not use

		executed := map[string]int{}
		for range 30 {
			for _, name := range []string{"jail", "lender"} {
				controller.Handle(t.Context(), utilflowcontrol.RequestDigest{
					RequestInfo: &request.RequestInfo{Verb: "get", Path: "/healthz"}, User: &user.DefaultInfo{Name: name},
				}, func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
					func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }, nil, func() { executed[name]++ })
			}
			<-time.After(time.Second)
		}
		if executed["jail"] != 0 || executed["lender"] != 30 {
			t.Errorf("Expected no requests of 30 without seats and 30 of the lender to execute, got %d and %d", executed["jail"], executed["lender"])
		}
	})
}

func levelThatRejects(name string, shares, lendablePercent int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
		Type: flowcontrolv1.PriorityLevelEnablementLimited,
		Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: &shares, LendablePercent: &lendablePercent, BorrowingLimitPercent: ptr.To[int32](0),
			LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
		},
	}}
}

// schemaOf returns a FlowSchema for the user, and the priority level, of this name.
func schemaOf(name string) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: flowcontrolv1.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: name}, MatchingPrecedence: 100,
		Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
			Subjects:         []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}},
			NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}},
		}},
	}}
}
