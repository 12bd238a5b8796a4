package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// task is an operation on a server that has many FlowSchemas.
type task struct {
	name string
	// count is the number of sequential executions in one round.
	count int
	// prepare sets up the task; nil means no setup.
	prepare func(ctx context.Context, c *client) error
	// do executes the task for the nth time and returns the server's time in
	// seconds.
	do func(ctx context.Context, c *client, n int) (float64, error)
}

// measureLarge measures time and peak memory of both servers with many schemas.
func measureLarge(o *harness.Owner, s settings) (tables []table) {
	etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
	o.Logf("large: writing %d FlowSchemas into either etcd", s.schemas)
	fill(o, etcds, s.schemas)
	for _, group := range largeTasks(s.schemas) {
		for _, task := range group.tasks {
			if !strings.Contains(task.name, s.tasks) {
				continue
			}
			group.table.rows = append(group.table.rows, measureTask(o, etcds, task, s)...)
		}
		tables = append(tables, group.table)
	}
	return tables
}

// taskGroup is a table and the tasks in it.
type taskGroup struct {
	table table
	tasks []task
}

// largeTasks returns all tasks for the given number of schemas.
func largeTasks(schemas int) []taskGroup {
	return []taskGroup{
		{
			table{title: fmt.Sprintf("Lists of %d FlowSchemas", schemas), note: "To the end of the response. *From cache* asks for " +
				"resource version 0, *most recent* for none, *exact* for the present version and no other."},
			listTasks(),
		},
		{
			table{title: "Server-side apply to an object of 50 managers", note: fmt.Sprintf("Each manager owns a label of its own and all of the "+
				"spec with the others; %d other FlowSchemas are there.", schemas)},
			applyTasks(),
		},
		{
			table{title: fmt.Sprintf("Writes among %d FlowSchemas", schemas), note: "Each changes a spec, upon which this server " +
				"checks all FlowSchemas for warnings."},
			writeTasks(),
		},
	}
}

// measureTask restarts both servers and lets them execute the task in turns.
func measureTask(o *harness.Owner, etcds [2]*harness.Etcd, task task, s settings) []measurement.Comparison {
	o.Logf("large: %s", task.name)
	benchmark := fmt.Sprintf("Large/schemas=%d/task=%s", s.schemas, task.name)
	o.Within(func(o *harness.Owner) {
		pair := [2]contender{
			startOurs(o, etcds[ours], "--etcd-prefix="+storePrefix),
			startTheirs(o, etcds[theirs], "--etcd-prefix="+storePrefix),
		}
		var clients [2]*client
		for i := range pair {
			clients[i] = pair[i].clients(o, 1)[0]
			if task.prepare != nil {
				o.Check(task.prepare(o.Context(), clients[i]))
			}
		}
		for round := range s.rounds + 1 {
			for _, by := range turns(round) {
				values, err := task.round(o.Context(), clients[by], pair[by].process.PID(), round)
				o.Check(err)
				if round > 0 { // the first warms up
					s.record(o, benchmark, by, task.count, values)
				}
			}
		}
	})
	return []measurement.Comparison{
		compare(task.name+", p50", benchmark, p50, 1),
		compare(task.name+", peak memory", benchmark, peakMemory, 1),
	}
}

// round executes the task count times. It returns the median time and the peak
// memory.
func (t task) round(ctx context.Context, c *client, pid, round int) (measurement.Values, error) {
	if err := measurement.ResetPeak(pid); err != nil {
		return nil, err
	}
	var times []float64
	for n := range t.count {
		took, err := t.do(ctx, c, round*t.count+n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		times = append(times, took)
	}
	peak, err := measurement.ProcessMemory(pid, "VmHWM")
	return measurement.Values{p50: measurement.Quantile(times, 0.5), peakMemory: peak}, err
}
