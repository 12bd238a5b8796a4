package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// enforcedWithin is the wanted 99th percentile, in seconds.
	enforcedWithin = 0.1
	// enforcementGrace is the time after which a schema counts as never enforced.
	enforcementGrace = 10 * time.Second
	// firstPrecedence is the precedence of the first schema. It comes before the
	// built-in schemas for service accounts, and each later schema comes before
	// all existing ones.
	firstPrecedence = 8000
)

// delay is the time until one schema was enforced, in seconds.
type delay struct{ sinceSent, sinceAnswered float64 }

// measureEnforcement applies schemas through kube-apiserver and sends requests
// to a replica until it enforces them.
func (f *front) measureEnforcement(o *harness.Owner, s settings) table {
	o.Logf("aggregated: enforcement")
	inRound := s.samples * replicas
	if s.rounds*inRound >= firstPrecedence {
		o.Fatalf("--rounds is %d and --samples is %d; their product must be below %d", s.rounds, s.samples, firstPrecedence/replicas)
	}
	administrator := f.administrator(o)
	var clients [replicas]*client
	for i := range clients {
		clients[i] = f.client(o, f.ours[i].URL)
	}
	for round := range s.rounds {
		var sinceSent, sinceAnswered [replicas][]float64
		for n := range inRound {
			replica := n % replicas
			d, err := enforce(o.Context(), administrator, clients[replica], round*inRound+n)
			o.Check(err)
			sinceSent[replica] = append(sinceSent[replica], d.sinceSent)
			sinceAnswered[replica] = append(sinceAnswered[replica], d.sinceAnswered)
		}
		for replica := range replicas {
			o.Check(recordDelays(s.log, enforcement(replica, "sending"), sinceSent[replica]))
			o.Check(recordDelays(s.log, enforcement(replica, "answer"), sinceAnswered[replica]))
		}
	}
	return enforcementTable(s.samples)
}

func enforcement(replica int, since string) string {
	return fmt.Sprintf("Enforcement/replica=%d/since=%s", replica, since)
}

func recordDelays(log *measurement.Log, benchmark string, delays []float64) error {
	return log.Add(benchmark, len(delays), measurement.Values{p50: measurement.Quantile(delays, 0.5), p99: measurement.Quantile(delays, 0.99)})
}

// enforce applies a schema for the service account and sends requests as that
// account.
func enforce(ctx context.Context, administrator, user *client, n int) (delay, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, enforcementGrace, fmt.Errorf("a FlowSchema is not enforced after %v", enforcementGrace))
	defer cancel()
	sent := time.Now()
	uid, err := applySchema(ctx, administrator, n)
	if err != nil {
		return delay{}, err
	}
	answered := time.Now()
	for {
		response, err := user.send(ctx, request{method: http.MethodGet, path: beside + "/" + asked})
		if ctx.Err() != nil {
			return delay{}, context.Cause(ctx)
		}
		if err != nil {
			return delay{}, err
		}
		now := time.Now()
		_, _ = io.Copy(io.Discard, response.Body) // only the header counts
		_ = response.Body.Close()
		if response.Header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID) == string(uid) {
			return delay{now.Sub(sent).Seconds(), now.Sub(answered).Seconds()}, nil
		}
	}
}

// applySchema applies the nth schema and returns its UID.
func applySchema(ctx context.Context, administrator *client, n int) (types.UID, error) {
	name := fmt.Sprintf("bench-enforced-%d", n)
	body := fmt.Appendf(nil, `{"apiVersion":"%s/v1beta3","kind":"FlowSchema","metadata":{"name":%q},`+
		`"spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":%d,"rules":[{`+
		`"subjects":[{"kind":"ServiceAccount","serviceAccount":{"namespace":%[4]q,"name":%[4]q}}],`+
		`"resourceRules":[{"verbs":["get"],"apiGroups":["*"],"resources":["flowschemas"],"clusterScope":true}]}]}}`,
		group, name, firstPrecedence-n, place)
	response, err := administrator.send(ctx, request{
		method: http.MethodPatch, path: beside + "/" + name + "?fieldManager=bench", contentType: applyPatch, body: body,
	})
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var applied struct{ Metadata struct{ UID types.UID } }
	if err := json.NewDecoder(response.Body).Decode(&applied); err != nil {
		return "", fmt.Errorf("reading the applied FlowSchema: %w", err)
	}
	return applied.Metadata.UID, nil
}

func enforcementTable(samples int) table {
	t := table{
		title: "From applying a FlowSchema to its enforcement",
		note: fmt.Sprintf("A FlowSchema is applied through kube-apiserver, and requests go to a replica of this server, directly, until "+
			"the response's `%s` names the new schema; %d times a round for each replica.", flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID, samples),
		columns: [2]string{"delay", ""},
	}
	for replica, where := range [replicas]string{"the replica that was asked to apply it", "another replica"} {
		for _, since := range []struct{ key, what string }{{"sending", "from sending it"}, {"answer", "from the answer"}} {
			benchmark, what := enforcement(replica, since.key), where+", "+since.what
			t.rows = append(t.rows,
				measurement.Comparison{What: what + ", p50", Ours: figure(benchmark, p50)},
				measurement.Comparison{What: what + ", p99", Ours: figure(benchmark, p99), Wanted: enforcedWithin})
		}
	}
	return t
}
