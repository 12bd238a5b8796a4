package trackrecord

import (
	"strings"
	"time"
)

// Who is throttled wants to know by what.
func case95212() Case {
	user, groups := serviceAccount("ci", "deployer")
	return Case{
		Repository: kubernetes, Number: 95212, Year: 2020,
		Says:     "An administrator whose controller was throttled could not find out which flow schema its requests match.",
		Does:     "A level of one seat without queues. A service account sends 10 requests at once, and one of them executes. A minute later an administrator reads the last rejections.",
		Measures: "Whether the server tells the flow schema, the level and the reason for this user. If not, it is harm.",
		Setup: Setup{
			Total:   10,
			Levels:  levels{rejecting("narrow", 1), queuing("others", 100, 64, 6)},
			Schemas: schemas{ofUsers("deployers", "narrow", 100, user)},
			Serve:   takes(time.Second),
		},
		Run: func(s *Site) Outcome {
			s.Burst(10, Request{User: user, Groups: groups, Path: "/apis/apps/v1/namespaces/shop/deployments"})
			s.Wait(time.Minute)
			told := false // in one line: counters of a flow schema do not tell whose requests they are
			for line := range strings.Lines(s.get("/debug/api_priority_and_fairness/rejections")) {
				told = told || containsAll(line, []string{"deployers", "narrow", user, "concurrency-limit"})
			}
			measured := map[bool]string{true: "schema, level and reason are told", false: "nothing is known of the user"}
			return Outcome{Measured: measured[told], Harmed: !told}
		},
	}
}
