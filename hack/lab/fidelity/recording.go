package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/transport"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// store is the directory of traces and configurations.
type store struct{ dir string }

// recording is the files of one case in one run on one server.
type recording struct{ path string }

func (s store) of(server string, run int, name string) recording {
	return recording{filepath.Join(s.dir, fmt.Sprintf("%s-%d-%s", server, run, name))}
}

// complete reports whether all cases of a run are stored.
func (s store) complete(on server, run int, cases []testCase) bool {
	for _, c := range cases {
		if _, err := os.Stat(s.of(on.name, run, c.name).trace(c.change != "")); err != nil {
			return false
		}
	}
	return true
}

// trace is the file of the trace; of its second half if changed is set.
func (r recording) trace(changed bool) string { return r.path + half(changed) + ".trace.zst" }

// configuration is the file of the objects in force.
func (r recording) configuration(changed bool) string { return r.path + half(changed) + ".json" }

func half(changed bool) string {
	if changed {
		return "-changed"
	}
	return ""
}

// play runs a case on a server, and stores what it recorded.
func (r *running) play(o *harness.Owner, c testCase, seed uint64, into recording) {
	clients, err := c.clients(seed)
	o.Check(err)
	kubectl := r.api.Kubectl(o)
	if c.configuration != "" {
		kubectl.RunInput(o, c.configuration, "apply", "-f", "-")
		o.Cleanup(func() { kubectl.RunInput(o, c.configuration, "delete", "-f", "-") })
		r.settle(o)
	}
	version := r.keepConfiguration(o, into.configuration(false))

	started := time.Now()
	sent := make(chan error, 1)
	go func() {
		s := &sender{client: r.client, base: r.base, exact: version}
		sent <- play(o.Context(), clients, s.send)
	}()
	var changed time.Time
	if c.change != "" {
		select {
		case <-time.After(time.Until(started.Add(time.Duration(clients.Duration) / 2))):
		case <-o.Context().Done():
			o.Check(o.Context().Err())
		}
		kubectl.RunInput(o, c.change, "apply", "-f", "-")
		changed = time.Now()
		r.keepConfiguration(o, into.configuration(true))
	}
	o.Check(<-sent)
	ended := time.Now()
	if changed.IsZero() {
		o.Check(r.keepTrace(o.Context(), started, ended, into.trace(false)))
	} else {
		o.Check(r.keepTrace(o.Context(), started, changed, into.trace(false)))
		o.Check(r.keepTrace(o.Context(), changed, ended, into.trace(true)))
	}
}

// settle waits until the configuration of a case is in force.
func (r *running) settle(o *harness.Owner) {
	client, err := kubernetes.NewForConfig(r.api.Config(o))
	o.Check(err)
	level, err := client.FlowcontrolV1().PriorityLevelConfigurations().Get(o.Context(), prefix, metav1.GetOptions{})
	o.Check(err)
	request, err := http.NewRequestWithContext(o.Context(), http.MethodGet, r.base+flowSchemas+"/"+slowName(0), nil)
	o.Check(err)
	request.Header.Set(transport.ImpersonateUserHeader, prefix)
	request.Header.Set(transport.ImpersonateGroupHeader, prefix)
	eventually.Holds(o, "the configuration of the case is in force", func(a *eventually.Attempt) {
		response, err := r.client.Do(request)
		require.NoError(a, err)
		require.NoError(a, response.Body.Close())
		require.Equal(a, string(level.UID), response.Header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID))
	})
}

// keepConfiguration stores the objects of the server, and returns their resource version.
func (r *running) keepConfiguration(o *harness.Owner, file string) (version string) {
	client, err := kubernetes.NewForConfig(r.api.Config(o))
	o.Check(err)
	schemas, err := client.FlowcontrolV1().FlowSchemas().List(o.Context(), metav1.ListOptions{})
	o.Check(err)
	levels, err := client.FlowcontrolV1().PriorityLevelConfigurations().List(o.Context(), metav1.ListOptions{})
	o.Check(err)
	kept := configuration.Configuration{Release: r.release, Own: r.name == "flowcontrol-apiserver", Total: total}
	for i := range schemas.Items {
		if len(schemas.Items[i].Spec.Rules) > 0 {
			kept.FlowSchemas = append(kept.FlowSchemas, &schemas.Items[i])
		}
	}
	for i := range levels.Items {
		kept.PriorityLevels = append(kept.PriorityLevels, &levels.Items[i])
	}
	content, err := json.MarshalIndent(kept, "", " ")
	o.Check(err)
	o.Check(os.WriteFile(file, content, 0o644))
	return schemas.ResourceVersion
}

// keepTrace stores the trace of the requests that arrived in a time.
func (r *running) keepTrace(ctx context.Context, from, to time.Time, file string) error {
	lines := r.audit + ".lines"
	if err := os.WriteFile(lines, []byte(r.api.Process.Output()), 0o600); err != nil {
		return err
	}
	made, err := record.New(ctx, record.Options{
		Audit: []record.Log{{Path: r.audit}}, HTTP: []record.Log{{Path: lines}},
		Clock: logs.Clock{Latest: to.Add(time.Hour), Zone: time.Local},
		From:  from, To: to,
	})
	if err != nil {
		return err
	}
	defer made.Close()
	out, err := trace.Create(file, true, made.Header())
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := made.Each(ctx, out.Write); err != nil {
		return err
	}
	return out.Commit()
}
