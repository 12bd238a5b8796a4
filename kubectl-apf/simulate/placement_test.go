package simulate_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// logged returns requests as lines of -v=3 have them: with the flow schema, and no user.
func logged(schema string, count int) requests {
	var out requests
	for i := range count {
		r := get("", time.Duration(i)*10*time.Millisecond, 20*time.Millisecond)
		r.Groups, r.FlowSchema, r.Client = nil, schema, "loader/v1"
		out = append(out, r)
	}
	return out
}

// requestsOf returns the requests of each flow schema of a result.
func requestsOf(r *simulate.Result) map[string]uint64 {
	all := map[string]uint64{}
	for _, s := range r.FlowSchemas {
		if s.Requests > 0 {
			all[s.Name] = s.Requests
		}
	}
	return all
}

func TestRequestsOfUnknownUsersHaveTheFlowSchemaOfTheTrace(t *testing.T) {
	for _, engine := range engines() {
		for _, loop := range []simulate.Loop{simulate.Open, simulate.Closed} {
			t.Run(string(engine)+"/"+string(loop), func(t *testing.T) {
				o := logged("service-accounts", 800).options()
				o.Engine, o.Loop = engine, loop
				result := &run(t, o, builtIn(t, "baseline", 600)).Results[0]
				assert.Equal(t, map[string]uint64{"service-accounts": 800}, requestsOf(result))
				assert.Zero(t, result.Rejected)
				assert.Zero(t, result.Waited)
				assert.Zero(t, result.LeftOut)
				assert.Contains(t, strings.Join(result.Notes, "\n"), "800 of 800 requests have the flow schema that the trace names: it lacks their users or groups.")
			})
		}
	}
}

func TestWhatDecidesTheFlowSchema(t *testing.T) {
	long := strings.Repeat("a", 70)
	twins := []*flowcontrolv1.FlowSchema{schema(strings.Repeat("b", 70)+"1", "workload-high"), schema(strings.Repeat("b", 70)+"2", "workload-high")}
	known := get("system:serviceaccount:a:b", 0, time.Millisecond)
	known.Groups = []string{"system:serviceaccounts", "system:authenticated"}
	partly := get("elephant", 0, time.Millisecond)
	partly.Groups = nil
	for name, test := range map[string]struct {
		request trace.Request
		schema  string // in the trace
		want    string // "" if it is left out
	}{
		"user and groups are known":             {known, "global-default", "service-accounts"},
		"the groups are unknown":                {partly, "service-accounts", "service-accounts"},
		"the schema of a known user is gone":    {known, "gone", "service-accounts"},
		"groups are unknown and schema is gone": {partly, "gone", "catch-all"},
		"a mandatory schema":                    {logged("", 1)[0], "catch-all", "catch-all"},
		"a name that is cut off":                {logged("", 1)[0], long[:64], long},
		"a name that two could have":            {logged("", 1)[0], twins[0].Name[:64], ""},
		"the schema is gone":                    {logged("", 1)[0], "gone", ""},
		"nothing is known":                      {logged("", 1)[0], "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := builtIn(t, "baseline", 600)
			late := schema(long, "workload-high")
			late.Spec.MatchingPrecedence = 9990
			twins[0].Spec.MatchingPrecedence, twins[1].Spec.MatchingPrecedence = 9991, 9992
			c.Configuration.FlowSchemas = append(c.Configuration.FlowSchemas, append(twins, late)...)
			test.request.FlowSchema = test.schema
			other := get("", time.Second, time.Millisecond)
			other.FlowSchema = "exempt"
			result := &run(t, requests{test.request, other}.options(), c).Results[0]
			want := map[string]uint64{"exempt": 1}
			if test.want == "" {
				assert.EqualValues(t, 1, result.LeftOut)
				assert.Contains(t, strings.Join(result.Notes, "\n"), "1 of 2 requests are left out")
			} else {
				want[test.want]++
			}
			assert.Equal(t, want, requestsOf(result))
		})
	}
}

func TestRequestsThatAChangedConfigurationMayMoveAreLeftOut(t *testing.T) {
	all := sorted(logged("service-accounts", 30), logged("global-default", 20))
	candidate := func(change func(*simulate.Candidate)) simulate.Candidate {
		c := builtIn(t, "candidate", 600)
		for i, s := range c.Configuration.FlowSchemas {
			c.Configuration.FlowSchemas[i] = s.DeepCopy()
		}
		change(&c)
		return c
	}
	added := func(precedence int32, resource string) simulate.Candidate {
		return candidate(func(c *simulate.Candidate) {
			s := schema("new", "workload-high")
			s.Spec.MatchingPrecedence = precedence
			s.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "bob"}}}
			s.Spec.Rules[0].ResourceRules[0].Resources = []string{resource}
			c.Configuration.FlowSchemas = append(c.Configuration.FlowSchemas, s)
		})
	}
	change := func(f func(*flowcontrolv1.FlowSchema)) simulate.Candidate {
		return candidate(func(c *simulate.Candidate) {
			for _, s := range c.Configuration.FlowSchemas {
				if s.Name == "service-accounts" {
					f(s)
				}
			}
		})
	}
	for name, test := range map[string]struct {
		candidate simulate.Candidate
		want      map[string]uint64
	}{
		"nothing changed":              {candidate(func(*simulate.Candidate) {}), map[string]uint64{"service-accounts": 30, "global-default": 20}},
		"a schema before both":         {added(100, "pods"), map[string]uint64{}},
		"a schema between them":        {added(9500, "pods"), map[string]uint64{"service-accounts": 30}},
		"a schema after both":          {added(9950, "pods"), map[string]uint64{"service-accounts": 30, "global-default": 20}},
		"a schema for other resources": {added(100, "leases"), map[string]uint64{"service-accounts": 30, "global-default": 20}},
		"another level": {change(func(s *flowcontrolv1.FlowSchema) { s.Spec.PriorityLevelConfiguration.Name = "workload-high" }),
			map[string]uint64{"service-accounts": 30, "global-default": 20}},
		"another precedence": {change(func(s *flowcontrolv1.FlowSchema) { s.Spec.MatchingPrecedence++ }), map[string]uint64{}},
	} {
		t.Run(name, func(t *testing.T) {
			other := get("alice", time.Second, time.Millisecond)
			report := run(t, sorted(all, requests{other}).options(), builtIn(t, "baseline", 600), test.candidate)
			test.want["global-default"]++ // alice
			assert.Equal(t, test.want, requestsOf(&report.Results[1]))
			left := 51 - test.want["service-accounts"] - test.want["global-default"]
			assert.EqualValues(t, left, report.Results[1].LeftOut)
			var out bytes.Buffer
			require.NoError(t, report.WriteTable(&out, table.Options{Wide: true}))
			assert.Equal(t, left > 0, strings.Contains(out.String(), "LEFT OUT"), out.String())
		})
	}
}

func TestASimulationOfNoRequestIsAnError(t *testing.T) {
	_, err := simulate.Run(t.Context(), logged("gone", 10).options(), builtIn(t, "baseline", 600))
	require.ErrorContains(t, err, `baseline: no request can be simulated: 10 of 10 requests are left out, and what they would do is unknown: `+
		`the trace has no users of theirs, and the configuration no flow schema "gone".`)
}
