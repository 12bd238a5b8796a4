package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// patience is how long a run of kubectl may take. One takes about 0.1 s.
const patience = 30 * time.Second

// Command is a kubectl command line.
type Command struct {
	// Program is the path of kubectl.
	Program string
	// Arguments are those after the name of the program.
	Arguments []string
	// Stdin is what kubectl reads with -f -.
	Stdin []byte
	// Namespace is the namespace of the context; empty means default.
	Namespace string
	// Resources are what the API server serves, from its discovery.
	Resources []*metav1.APIResourceList
	// Helper is the path of a program that calls Help if IsHelper.
	Helper string
	// Environment is the environment of the process, as os.Environ has it.
	Environment []string
}

// Requests returns the requests that the command sends, in their order. A command that
// kubectl rejects is an error with the words of kubectl.
func (c Command) Requests(ctx context.Context) (*Requests, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	home, err := os.MkdirTemp("", "kubectl-apf-")
	if err != nil {
		return nil, fmt.Errorf("making a home for kubectl: %w", err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	addHelper(c.Helper, home)
	server, err := newServer(c.Resources)
	if err != nil {
		return nil, err
	}
	defer server.close()
	if err := os.WriteFile(configIn(home), kubeconfig(server.url(), c.Namespace), 0o600); err != nil {
		return nil, fmt.Errorf("writing a kubeconfig for kubectl: %w", err)
	}
	present, err := c.run(ctx, home, server, true)
	if err != nil {
		return nil, err
	}
	if present.rejected() {
		return nil, errors.New("kubectl rejects the command: " + present.complaint)
	}
	absent, err := c.run(ctx, home, server, false)
	if err != nil {
		return nil, err
	}
	return merge(present, absent), nil
}

// noField is how kubectl explain says that the OpenAPI document of the server has no fields.
var noField = regexp.MustCompile(`^error: field "[^"]*" does not exist$`)

// outcome is what kubectl did in a run.
type outcome struct {
	sent []sent
	// complaint is what kubectl wrote when it failed; empty if it did not fail.
	complaint string
}

// run runs kubectl against the server, whose objects exist or not.
func (c Command) run(ctx context.Context, home string, server *server, exist bool) (outcome, error) {
	// kubectl ends by itself, or is ended when it only repeats itself.
	running, end := context.WithCancel(ctx)
	defer end()
	server.begin(world{exist: exist, awaited: awaitedBy(c.Arguments), end: end})
	process := exec.CommandContext(running, c.Program, override(c.Arguments, home, server.url())...) //nolint:gosec // the user's own kubectl, isolated
	process.Env = environment(c.Environment, home)
	process.Stdin = bytes.NewReader(c.Stdin)
	process.WaitDelay = time.Second
	var stderr bytes.Buffer
	process.Stderr = &stderr
	err := process.Run()
	complaint := strings.TrimSpace(stderr.String())
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return outcome{}, fmt.Errorf("kubectl did not end by itself: %w", ctx.Err())
	case running.Err() != nil, err == nil, noField.MatchString(complaint):
		return outcome{sent: server.recorded()}, nil
	case errors.As(err, &exit):
		return outcome{sent: server.recorded(), complaint: complaint}, nil
	default:
		return outcome{}, fmt.Errorf("running kubectl: %w", err)
	}
}
