package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// recordSample runs the case "sample" on a kube-apiserver with the built-in configuration,
// and writes its trace, which docs/simulate.md walks through.
func recordSample(ctx context.Context, file string) error {
	scenario, err := files.ReadFile("cases/sample/scenario.yaml")
	if err != nil {
		return err
	}
	return harness.Own(ctx, func(o *harness.Owner) {
		r := servers()[0].start(o)
		into := recording{filepath.Join(o.TempDir(), "sample")}
		r.play(o, testCase{name: "sample", scenario: string(scenario)}, 1, into)
		content, err := os.ReadFile(into.trace(false))
		o.Check(err)
		o.Check(os.WriteFile(file, content, 0o644))
	})
}
