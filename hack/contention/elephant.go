package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/traffic"
)

// elephantFlag makes the program be the elephant only. That is a process of its
// own: within one, the mice would wait for the elephant's 200 busy connections,
// and their times would tell of the client more than of the server.
const elephantFlag = "elephant"

// meal is what an elephant got.
type meal struct {
	Served, Failed int
	LastError      string
}

// eat is the elephant: it asks the server of the kubeconfig without a pause and
// writes to stdout, as JSON, what it got.
func eat(ctx context.Context, kubeconfig string) error {
	target, err := traffic.NewTarget(kubeconfig)
	if err != nil {
		return err
	}
	client := target.Client("elephant")
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, warmUp+runTime)
	defer cancel()
	tally := &traffic.Tally{}
	traffic.Elephant(ctx, client, elephantConnections, traffic.Rude, elephantPath, tally)
	got := meal{Served: tally.Served()}
	if got.Failed, err = tally.Failed(); err != nil {
		got.LastError = err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(got)
}

// feed runs the elephant's process and returns what it got.
func feed(ctx context.Context, kubeconfig string) (meal, error) {
	program, err := os.Executable()
	if err != nil {
		return meal{}, err
	}
	command := exec.CommandContext(ctx, program, "-"+elephantFlag, kubeconfig)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return meal{}, fmt.Errorf("the elephant's process: %w", err)
	}
	var got meal
	err = json.Unmarshal(output, &got)
	return got, err
}
