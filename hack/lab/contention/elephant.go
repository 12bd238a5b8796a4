package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// elephantFlag makes this program the elephant only. The elephant is a separate
// process: in one process, the mice would wait for its 200 busy connections,
// and the figures would measure the client.
const elephantFlag = "elephant"

// meal is the elephant's result.
type meal struct {
	Served, Failed int
	LastError      string
}

// eat is the elephant: it sends requests to the kubeconfig's server without a
// pause and writes the result to stdout as JSON.
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

// feed runs the elephant's process and returns its result.
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
