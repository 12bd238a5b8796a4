package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rejection is what flowcontrol-apiserver remembers of a rejection.
const rejection = `[{"priorityLevelName":"workload-low","flowSchemaName":"service-accounts","flowDistinguisher":"system:serviceaccount:shop:scaler","reason":"queue-full","count":7,` +
	`"firstTime":"2026-05-06T07:00:00Z","lastTime":"2026-05-06T07:08:00Z","userName":"system:serviceaccount:shop:scaler","verb":"get","path":"/api/v1/pods"}]`

// partialCase is a command whose input lacks something.
type partialCase struct {
	name string
	args []string
	// forbidden are the rights that the user lacks, away adds a second server that cannot be
	// reached.
	forbidden []string
	away      bool
	status    int
	says      []string
}

const debugPath = "get /debug/api_priority_and_fairness/"

func replicaRightsOf(without ...string) []string {
	return append(without, debugPath+"dump_priority_levels", debugPath+"dump_requests", debugPath+"dump_queues", debugPath+"top_flows", debugPath+"rejections")
}

// partialCases are the commands by what is unknown.
func partialCases() []partialCase {
	offline := func(args ...string) []string { return append(args, "--offline", "--release=1.33") }
	const metrics = "get /metrics"
	return []partialCase{
		{name: "top, one server away", args: []string{"top", "--interval=0"}, away: true, says: []string{"Note: The figures are from 1 of 2 API servers.", "cannot be reached"}},
		{name: "top flows, one server away", args: []string{"top", "flows"}, away: true, says: []string{"Note: The figures are from 1 of 2 API servers."}},
		{name: "top requests, one server away", args: []string{"top", "requests"}, away: true, says: []string{"Note: The figures are from 1 of 2 API servers."}},
		{name: "top, nothing told", args: []string{"top", "--interval=0"}, forbidden: replicaRightsOf(metrics), status: statusFailed, says: []string{"error: No API server reports who holds the seats.", `"get" on the nonResourceURL "/metrics" is missing`}},
		{name: "top flows, nothing told", args: []string{"top", "flows"}, forbidden: replicaRightsOf(), status: statusFailed, says: []string{"error: No API server reports who holds the seats."}},
		{name: "top requests, nothing told", args: []string{"top", "requests"}, forbidden: replicaRightsOf(), status: statusFailed, says: []string{"error: No API server reports who holds the seats."}},
		{name: "top, dumps without metrics", args: []string{"top", "--interval=0"}, forbidden: []string{metrics}, says: []string{"workload-low      3      -        -", `"/metrics" is missing`}},
		{name: "explain, one line of metrics", args: []string{"explain", "get", "pods", "-n", "a", "--as=system:serviceaccount:a:b", "--dumps=part"}, says: []string{"part            -      -          -        -  unknown", "did not report the seats in use"}},
		{name: "top, one line of metrics", args: []string{"top", "--interval=0", "--dumps=part"}, says: []string{"workload-low      -      -        -        -       -           -"}},
		{name: "top, levels of which some are told", args: []string{"top", "--interval=0", "--dumps=some"}, says: []string{"TOTAL             3      -        -        -"}},
		{name: "top, metrics and dumps of different times", args: []string{"top", "--interval=0", "--dumps=times"}, says: []string{"Note: times: /metrics: The metrics and the dumps are of different times. On workload-low 1 requests wait here, and 17 in the dump."}},
		{name: "top, servers that lack the same", args: []string{"top", "--interval=0", "--dumps=federated"}, says: []string{"Note: 10.0.0.1:6443, 10.0.0.2:6443: /debug/api_priority_and_fairness/dump_priority_levels, /debug/api_priority_and_fairness/dump_requests: There is no file for it."}},
		{name: "top flows, servers that lack the same", args: []string{"top", "flows", "--dumps=federated"}, status: statusFailed, says: []string{"error: No API server reports who holds the seats. 10.0.0.1:6443, 10.0.0.2:6443: "}},
		{name: "top flows, a dump that lacks executing requests", args: []string{"top", "flows", "--dumps=old"}, says: []string{"a                -      -        1       -", "API servers report them from Kubernetes 1.28 on"}},
		{name: "top requests, a dump without seats", args: []string{"top", "requests", "--dumps=old"}, says: []string{"waiting      -"}},
		{name: "top flows, heavy ones alone", args: []string{"top", "flows", "--dumps=heavy"}, says: []string{"a              1.0      -        -       -"}},
		{name: "top offline", args: offline("top", "--interval=0"), status: statusFailed, says: []string{"error: No API server reports who holds the seats."}},
		{name: "top of files that are none", args: []string{"top", "--dumps=notes"}, status: statusFailed, says: []string{"notes/notes.txt"}},

		{name: "why, one server away", args: []string{"why", "--flow-schema=service-accounts"}, away: true, status: statusFindings, says: []string{"queue-full 7", "Note: https://127.0.0.1:1: /metrics: ", "cannot be reached"}},
		{name: "why, metrics forbidden, with a log", args: []string{"why", "-f", "audit.log"}, forbidden: []string{metrics}, status: statusFindings, says: []string{"global-default", `"/metrics" is missing`, "600 seats are assumed"}},
		{name: "why, nothing known", args: offline("why", "--user=robot"), status: statusFailed, says: []string{"error: No request of user robot is known one by one. Add an audit log"}},
		{name: "why, nothing told", args: []string{"why", "--flow-schema=service-accounts"}, forbidden: replicaRightsOf(metrics), status: statusFailed, says: []string{"error: No request of flow schema service-accounts is known", `"/metrics" is missing`}},
		{name: "why, events without groups", args: offline("why", "-f", "nogroups.log"), says: []string{"global-default", "Note: 1 of 1 events have no groups"}},
		{name: "why, events without an end", args: offline("why", "-f", "noend.log"), status: statusFindings, says: []string{"from 2026-05-06T07:08:00Z to 2026-05-06T07:08:00Z", "Note: 1 of 1 events do not have the end of the request"}},
		{name: "why, lines that are no events", args: offline("why", "-f", "damaged.log"), status: statusFindings, says: []string{"Note: damaged.log: 1 of 2 lines are skipped"}},
		{name: "why, a log that is filtered", args: offline("why", "-f", "audit.log"), status: statusFindings, says: []string{"Of the requests from 2026-05-06T07:08:00Z", "LIMIT  USED  FLOWS  HEAVIEST FLOWS\nglobal-default  Queue     49     -      -  -", "Note: No event is of a request that succeeded: the log may be filtered."}},
		{name: "why, lists of unknown width", args: offline("why", "-f", "lists.log"), says: []string{"40.0 to 320.0", "2 of 2 events have no annotations of flowcontrol-apiserver: flow schema and level are from the configuration of now, seats are as kubectl apf explain estimates them"}},
		{name: "why, uses without times", args: []string{"why", "--flow-schema=service-accounts", "--dumps=heavy"}, says: []string{"Of the requests of flow schema service-accounts from - to -, 0 were rejected and whether others waited is unknown.", "0       -   -                      -           7.0"}},
		{name: "why, a level that is gone", args: offline("why", "-f", "gone.log"), status: statusFindings, says: []string{`Note: The priority level "gone" is not in the configuration`}},
		{name: "why, an event of 1970", args: offline("why", "-f", "ancient.log"), status: statusFindings, says: []string{"Of 2 requests from 1970-01-01T07:08:00Z to 2026-05-06", "1 were rejected"}},
		{name: "why, a log that is absent", args: offline("why", "-f", "absent.log"), status: statusFailed, says: []string{"absent.log"}},

		{name: "whose, objects without UIDs", args: offline("whose", "abc"), status: statusFailed, says: []string{"error: no object here has a UID"}},
		{name: "whose, a damaged log", args: []string{"whose", "schema-0", "--audit-log=damaged.log"}, says: []string{"Note: damaged.log: 1 of 2 lines are skipped"}},

		{name: "diff, events without groups", args: offline("diff", "-f", "flowschemas.yaml", "--audit-log=nogroups.log"), status: statusFindings, says: []string{"global-default", "Note: 1 of 1 events have no groups"}},
		{name: "diff, an empty log", args: offline("diff", "-f", "flowschemas.yaml", "--audit-log=empty"), status: statusFailed, says: []string{"empty: no event"}},
		{name: "diff, a total that is unknown", args: offline("diff", "-f", "flowschemas.yaml"), status: statusFindings, says: []string{"600 seats are assumed"}},

		{name: "lint, facts forbidden", args: []string{"lint"}, forbidden: []string{"list /serviceaccounts"}, says: []string{"Note: serviceaccounts: ", `"list" on serviceaccounts`}},
		{name: "lint, a file that cannot be read", args: offline("lint", "-f", "flowschemas.yaml", "-f", "broken.yaml"), status: statusFailed, says: []string{"1 objects checked", "broken.yaml"}},
		{name: "lint, saved answers without objects", args: []string{"lint", "--dumps=answers"}, status: statusFailed, says: []string{"error: ", "no flow schema and no priority level"}},
		{name: "lint, saved answers below a file", args: []string{"lint", "--dumps=answers", "-f", "flowschemas.yaml"}, says: []string{"1 objects checked", "are assumed"}},
		{name: "lint, an empty log", args: offline("lint", "--audit-log=empty"), status: statusFailed, says: []string{"empty: no event"}},

		{name: "test, no cases", args: []string{"test", "-f", "suite.yaml"}, status: statusFailed, says: []string{"suite.yaml: ", "must have a case"}},
		{name: "record, no requests", args: []string{"record", "--audit-log=empty", "-o", "x.trace"}, status: statusFailed, says: []string{"empty: no event"}},
		{name: "record, events without groups", args: []string{"record", "--audit-log=nogroups.log", "-o", "nogroups.trace"}, says: []string{"Note: The groups of 100.0% of the requests"}},
		{name: "record, events without an end", args: []string{"record", "--audit-log=noend.log", "-o", "noend.trace"}, says: []string{"Note: How long they took is unknown of 100.0% of the requests."}},
		{name: "simulate, groups that are implied", args: []string{"simulate", "--trace=nogroups.trace"}, says: []string{"Note: The groups of 100.0% of the requests", "global-default  baseline              1"}},
		{name: "simulate, no duration", args: []string{"simulate", "--trace=noend.trace"}, status: statusFailed, says: []string{"error: baseline: no request of the trace has a duration of execution"}},
	}
}

// TestWhatIsUnknownStandsBesideTheNumber walks the commands with inputs that lack something:
// they say so, and an answer that rests on nothing is an error.
func TestWhatIsUnknownStandsBesideTheNumber(t *testing.T) {
	t.Chdir(t.TempDir())
	ok := strings.Replace(auditEvent, `"code":429`, `"code":200`, 1)
	write(t, "audit.log", auditEvent)
	write(t, "nogroups.log", strings.Replace(ok, `,"groups":["system:authenticated"]`, "", 1))
	write(t, "noend.log", strings.Replace(auditEvent, `"stageTimestamp":"2026-05-06T07:08:00.100000Z"`, `"stageTimestamp":null`, 1))
	write(t, "damaged.log", auditEvent+ok[:120]+"\n")
	write(t, "gone.log", strings.Replace(auditEvent, `"responseStatus"`, `"annotations":{"apf.flowcontrol-apiserver.io/flow-schema":"s","apf.flowcontrol-apiserver.io/priority-level":"gone","apf.flowcontrol-apiserver.io/outcome":"queue-full"},"responseStatus"`, 1))
	write(t, "ancient.log", strings.NewReplacer("2026-05-06", "1970-01-01", `"auditID":"`, `"auditID":"b`).Replace(ok)+auditEvent)
	write(t, "flowschemas.yaml", flowSchema)
	write(t, "broken.yaml", "\tthis: is not\nYAML")
	write(t, "empty", "")
	write(t, "suite.yaml", "apiVersion: suite.flowcontrol-apiserver.io/v1\nkind: Suite\ncases: []\n")
	assert.NoError(t, os.MkdirAll("notes", 0o700))
	assert.NoError(t, os.MkdirAll("answers", 0o700))
	write(t, "notes/notes.txt", "nothing of interest\n")
	write(t, "answers/metrics", metrics(245, 7))
	assert.NoError(t, os.MkdirAll("part", 0o700))
	write(t, "part/metrics", `apiserver_flowcontrol_rejected_requests_total{flow_schema="service-accounts",priority_level="workload-low",reason="queue-full"} 49`+"\r\n")
	list := strings.NewReplacer("00.100000Z", "40.000000Z", `"code":429`, `"code":200`, "/api/v1/pods", "/api/v1/pods").Replace(auditEvent)
	write(t, "lists.log", list+strings.Replace(list, `"robot"`, `"alice"`, 1))
	const dumped = "PriorityLevelName, WaitingRequests, ExecutingRequests\nworkload-low, 17, 40\n"
	for name, text := range map[string]string{
		"heavy/top_flows": `[{"priorityLevelName":"workload-low","flowSchemaName":"service-accounts","flowDistinguisher":"a","seatSeconds1m":1,"seatSeconds15m":7}]`,
		"some/metrics":    metrics(245, 7) + `apiserver_flowcontrol_nominal_limit_seats{priority_level="system"} 74` + "\n" + `apiserver_flowcontrol_current_executing_requests{flow_schema="x",priority_level="new"} 1` + "\n",
		"times/metrics":   metrics(245, 7), "times/levels": dumped,
		"old/requests": "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime\nworkload-low, service-accounts, 3, 0, a, 2026-05-04T10:00:00Z\n",
		"federated/f":  strings.ReplaceAll(metrics(245, 7), "{", `{instance="10.0.0.1:6443",`) + strings.ReplaceAll(metrics(245, 7), "{", `{instance="10.0.0.2:6443",`),
	} {
		assert.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		write(t, name, text)
	}
	for _, test := range partialCases() {
		t.Run(test.name, func(t *testing.T) {
			got := test.run(t)
			assert.Equal(t, test.status, got.status, got.out+got.errOut)
			for _, text := range test.says {
				assert.Contains(t, got.out+got.errOut, text)
			}
			if test.status == statusFailed && !strings.Contains(got.out, "objects checked") {
				assert.Empty(t, got.out)
			}
		})
	}
}

func (c *partialCase) run(t *testing.T) result {
	t.Helper()
	if slices.Contains([]string{"record", "simulate", "test"}, c.args[0]) {
		return run(t, c.args...)
	}
	server := newAPIServer(t)
	for _, right := range c.forbidden {
		server.forbidden[right] = true
	}
	if c.away {
		return run(t, append(c.args, "--kubeconfig=", "--token=t", "--insecure-skip-tls-verify", "--server", server.URL, "--server", "https://127.0.0.1:1")...)
	}
	return server.run(t, c.args...)
}
