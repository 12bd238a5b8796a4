package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// These variables are in the environment of the elephant only. It is a separate process
	// of this program, or of its test, so that the client of the mice does not wait for its
	// connections.
	pathVariable, kubeconfigVariable, tokenVariable = "ELEPHANT_PATH", "ELEPHANT_KUBECONFIG", "ELEPHANT_TOKEN"

	elephantConnections = 100
	// early is the time until limits have followed the load, which both engines do every ten
	// seconds, and runTime the time after it.
	early   = 11 * time.Second
	runTime = 6 * time.Second
)

// meal is the elephant's result.
type meal struct{ Served, Rejected int }

// isElephant reports whether this process is the elephant.
func isElephant() bool { return os.Getenv(pathVariable) != "" }

// eat is the elephant: it sends requests without a pause and writes the result to stdout.
func eat(ctx context.Context) error {
	path := os.Getenv(pathVariable)
	target, err := traffic.NewTarget(os.Getenv(kubeconfigVariable))
	if err != nil {
		return err
	}
	who := traffic.User{Token: os.Getenv(tokenVariable)}
	status, _, _, err := target.Do(ctx, who, traffic.Request{Path: path})
	if err != nil {
		return err
	}
	if status != http.StatusOK && status != http.StatusTooManyRequests {
		return fmt.Errorf("%s: status %d", path, status)
	}
	load := traffic.Load{Flows: []traffic.Flow{{
		Users: []traffic.User{who}, Threads: elephantConnections, Ask: traffic.Get(path), For: early + runTime, Patience: traffic.Timeout,
	}}}
	samples, err := load.Run(ctx, target)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(meal{samples.Served(), samples.Rejected()})
}

// feed runs the elephant's process and returns its result.
func feed(ctx context.Context, kubeconfig, token, path string) (got meal, err error) {
	program, err := os.Executable()
	if err != nil {
		return meal{}, err
	}
	command := exec.CommandContext(ctx, program)
	command.Env = append(os.Environ(), pathVariable+"="+path, kubeconfigVariable+"="+kubeconfig, tokenVariable+"="+token)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return meal{}, fmt.Errorf("the elephant's process: %w", err)
	}
	return got, json.Unmarshal(output, &got)
}
