package suite

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
)

// Result is the outcome of a suite.
type Result struct {
	// Suite is the path of the suite.
	Suite  string `json:"suite"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	// Cases are in the order of the suite.
	Cases []CaseResult `json:"cases"`
	// Notes are sentences about what was inferred.
	Notes []string `json:"notes,omitempty"`
}

// CaseResult is the outcome of a case.
type CaseResult struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	// Got is what the request got; null if it is invalid.
	Got *Got `json:"got"`
	// Failures are sentences about the expectations that are not met.
	Failures []string `json:"failures,omitempty"`
	// Error says why the request is invalid.
	Error string `json:"error,omitempty"`
}

// Got is what a request got. It is empty if flow control does not govern the request.
type Got struct {
	FlowSchema    string `json:"flowSchema"`
	PriorityLevel string `json:"priorityLevel"`
	Flow          string `json:"flow"`
	Seats         int    `json:"seats"`
}

// Run tests the cases with a configuration, usually the Source's. now is the engine's time.
func (s *Suite) Run(c configuration.Configuration, now time.Time) Result {
	c.Own = s.Configuration.Server == FlowControlAPIServer
	explainer := explain.New(explain.Input{Configuration: c, Facts: s.facts(), Now: now})
	r := Result{Suite: s.path, Cases: make([]CaseResult, 0, len(s.Cases)), Notes: c.Notes}
	schemas := map[string]string{} // levels by schema
	for _, of := range c.FlowSchemas {
		schemas[of.Name] = of.Spec.PriorityLevelConfiguration.Name
	}
	for i := range s.Cases {
		outcome := s.Cases[i].run(explainer, schemas)
		if outcome.Passed {
			r.Passed++
		} else {
			r.Failed++
		}
		r.Cases = append(r.Cases, outcome)
	}
	return r
}

func (c *Case) run(explainer *explain.Explainer, schemas map[string]string) CaseResult {
	answer, err := explainer.Explain(c.Request)
	if err != nil {
		return CaseResult{Name: c.Name, Error: err.Error()}
	}
	got := &Got{
		FlowSchema: answer.FlowSchema.Name, PriorityLevel: answer.PriorityLevel.Name,
		Flow: answer.Flow.Distinguisher, Seats: answer.Seats.Width,
	}
	if answer.Bypass != "" {
		got = &Got{}
	}
	failures := c.Expect.failures(got, &answer, schemas)
	return CaseResult{Name: c.Name, Passed: len(failures) == 0, Got: got, Failures: failures}
}

// failures returns the expectations that are not met.
func (e *Expectation) failures(got *Got, answer *explain.Answer, schemas map[string]string) []string {
	var failures []string
	fail := func(what, expected, got, because string) {
		failures = append(failures, fmt.Sprintf("expected %s %s, got %s: %s", what, expected, got, strings.TrimSuffix(because, ".")))
	}
	if answer.Bypass != "" {
		if e.FlowSchema != "" || e.PriorityLevel != "" || e.Flow != nil || e.Seats != nil {
			failures = append(failures, "expected flow control, got none: "+strings.TrimSuffix(answer.Bypass, "."))
		}
		return failures
	}
	if e.FlowSchema != "" && e.FlowSchema != got.FlowSchema {
		_, exists := schemas[e.FlowSchema]
		fail("flow schema", quote(e.FlowSchema), quote(got.FlowSchema), whyNot(e.FlowSchema, exists, answer))
	}
	if e.PriorityLevel != "" && e.PriorityLevel != got.PriorityLevel {
		fail("priority level", quote(e.PriorityLevel), quote(got.PriorityLevel), fmt.Sprintf("that is the level of flow schema %q", got.FlowSchema))
	}
	if e.Flow != nil && *e.Flow != got.Flow {
		method := answer.FlowSchema.DistinguisherMethod
		because := fmt.Sprintf("flow schema %q has no distinguisherMethod", got.FlowSchema)
		if method != "" {
			because = fmt.Sprintf("flow schema %q has the distinguisherMethod %s", got.FlowSchema, method)
		}
		fail("flow", quote(*e.Flow), quote(got.Flow), because)
	}
	if e.Seats != nil {
		seats := &answer.Seats
		switch {
		case seats.AtMost > seats.Width:
			fail("seats", fmt.Sprint(*e.Seats), fmt.Sprintf("%d to %d", seats.Width, seats.AtMost),
				fmt.Sprintf("the suite has no facts about %s: set objects, bytes or watchers", schema.GroupResource{Group: answer.Request.APIGroup, Resource: answer.Request.Resource}))
		case *e.Seats != got.Seats:
			fail("seats", fmt.Sprint(*e.Seats), fmt.Sprint(got.Seats), seats.Why)
		}
	}
	return failures
}

// whyNot says why the expected flow schema does not match the request.
func whyNot(expected string, exists bool, answer *explain.Answer) string {
	at := slices.IndexFunc(answer.Trace, func(s explain.Step) bool { return s.FlowSchema == expected })
	switch {
	case !exists:
		return fmt.Sprintf("the configuration has no flow schema %q", expected)
	case at < 0:
		return fmt.Sprintf("%q matches and comes first, with matchingPrecedence %d", answer.FlowSchema.Name, answer.FlowSchema.MatchingPrecedence)
	case len(answer.Trace[at].Reasons) == 0:
		return fmt.Sprintf("%q does not match", expected)
	}
	reasons := make([]string, len(answer.Trace[at].Reasons))
	for i, reason := range answer.Trace[at].Reasons {
		reasons[i] = reason.Field + ": " + strings.TrimSuffix(reason.Message, ".")
	}
	return fmt.Sprintf("%q does not match: %s", expected, strings.Join(reasons, "; "))
}

func quote(text string) string { return fmt.Sprintf("%q", text) }
