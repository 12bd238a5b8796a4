package explain

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

var epoch = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// builtIn returns the built-in configuration of kube-apiserver 1.33.
func builtIn() configuration.Configuration {
	c, err := configuration.BuiltIn("1.33")
	if err != nil {
		panic(err)
	}
	c.Total = 600
	return c
}

// input returns what is known about an idle kube-apiserver 1.33 with 10,000 secrets.
func input() Input {
	return Input{Configuration: builtIn(), Now: epoch, Facts: Facts{
		{Resource: "secrets"}:                       {Objects: 10_000, Bytes: 20_000_000, Watchers: 5},
		{Resource: "pods"}:                          {Objects: 450, Bytes: 4_500_000, Watchers: 120},
		{Group: "metrics.k8s.io", Resource: "pods"}: {Absent: true},
	}}
}

// withoutDefault returns what is known about an API server without the flow schema global-default,
// where other requests match catch-all.
func withoutDefault() Input {
	in := input()
	in.Configuration.FlowSchemas = slices.DeleteFunc(in.Configuration.FlowSchemas, func(s *flowcontrolv1.FlowSchema) bool { return s.Name == "global-default" })
	return in
}

// lineParser returns a Parser of lines; alice sends the requests.
func lineParser() Parser { return Parser{Mapper: Offline, User: "alice"} }

// Line returns the requests of a line, whose words have spaces between them.
func (p Parser) Line(line string) ([]Request, error) {
	var flags Flags
	set := pflag.NewFlagSet("request", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	flags.AddTo(set)
	if err := set.Parse(strings.Fields(line)); err != nil {
		return nil, err
	}
	return p.Parse(set.Args(), &flags)
}

// explained returns the answer for a line.
func explained(t *testing.T, in Input, line string) Answer {
	t.Helper()
	requests, err := lineParser().Line(line)
	require.NoError(t, err)
	require.Len(t, requests, 1)
	answer, err := New(in).Explain(requests[0])
	require.NoError(t, err)
	return answer
}

// state returns the state of an API server with one busy level.
func state(level string, limits replica.LevelMetrics, waiting, executing int, queues ...replica.Queue) replica.Replica {
	r := replica.Replica{
		Name:    "https://10.0.0.1:6443",
		Levels:  []replica.Level{{Name: "exempt"}, {Name: level, Waiting: waiting, Executing: executing}},
		Metrics: replica.Metrics{Levels: map[string]replica.LevelMetrics{level: limits}},
	}
	for _, q := range queues {
		q.Level = level
		r.Queues = append(r.Queues, q)
	}
	return r
}
