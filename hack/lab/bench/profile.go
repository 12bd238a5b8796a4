package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/pprof/profile"
	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// profileSeconds is the duration of the profile of one task.
const profileSeconds = 10

// takeProfiles executes every task with many schemas on this server and writes
// the merged CPU profile to a file.
func takeProfiles(ctx context.Context, s settings, file string) error {
	var taken []*profile.Profile
	err := harness.Own(ctx, func(o *harness.Owner) {
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		fill(o, etcds, s.schemas)
		for _, group := range largeTasks(s.schemas) {
			for _, task := range group.tasks {
				taken = append(taken, profileTask(o, etcds[0], task))
			}
		}
	})
	if err != nil {
		return err
	}
	return writeProfile(file, taken)
}

// profileTask restarts this server, repeats the task and returns its CPU
// profile.
func profileTask(o *harness.Owner, etcd *harness.Etcd, task task) (taken *profile.Profile) {
	o.Logf("profile: %s", task.name)
	o.Within(func(o *harness.Owner) {
		c := startOurs(o, etcd, "--etcd-prefix="+storePrefix).clients(o, 1)[0]
		if task.prepare != nil {
			o.Check(task.prepare(o.Context(), c))
		}
		var err error
		taken, err = task.profile(o.Context(), c)
		o.Check(err)
	})
	return taken
}

func (t task) profile(ctx context.Context, c *client) (taken *profile.Profile, err error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	var group errgroup.Group
	group.Go(func() error {
		defer stop()
		response, err := c.send(ctx, traffic.Request{Path: fmt.Sprintf("/debug/pprof/profile?seconds=%d", profileSeconds)})
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		taken, err = profile.Parse(response.Body)
		return err
	})
	for n := 0; working.Err() == nil; n++ {
		if _, err := t.do(ctx, c, n); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return taken, group.Wait()
}

// writeProfile writes the sum of profiles in the form that the compiler reads,
// without the paths of this machine.
func writeProfile(file string, profiles []*profile.Profile) error {
	sum, err := profile.Merge(profiles)
	if err != nil {
		return err
	}
	if err := sum.Aggregate(true, true, false, true, false, false); err != nil {
		return err
	}
	for _, mapping := range sum.Mapping {
		mapping.File = ""
	}
	written, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(sum.Compact().Write(written), written.Close())
}
