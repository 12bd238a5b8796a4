package kubectl

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// fakeName is the name of this program when it acts as kubectl.
const fakeName = "fake-kubectl"

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == fakeName:
		os.Exit(fake(os.Args[1:]))
	case IsHelper(os.Args):
		if err := Help(os.Args[1:]); err != nil {
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// fake sends the requests that are its arguments, in the form "METHOD URI", to the server of
// its kubeconfig. A prefix is a condition:
//
//	200: 404:   if the last response had this status
//	each:       for each object of the last list, whose name takes the place of OBJECT
//	forever:    again and again
//	fail:       none: the rest is written to standard error, and the status is 1
func fake(args []string) int {
	status, list := 0, struct {
		Items []struct{ Metadata struct{ Name string } }
	}{}
	for _, arg := range args {
		condition, request, conditional := strings.Cut(arg, ":")
		switch {
		case strings.HasPrefix(arg, "--"):
		case !conditional:
			status = sendFake(arg, &list)
		case condition == fmt.Sprint(status):
			status = sendFake(request, &list)
		case condition == "each":
			for _, item := range list.Items {
				sendFake(strings.ReplaceAll(request, "OBJECT", item.Metadata.Name), nil)
			}
		case condition == "forever":
			for sendFake(request, nil) > 0 {
			}
		case condition == "fail":
			fmt.Fprintln(os.Stderr, request)
			return 1
		}
	}
	return 0
}

// sendFake sends a request, and returns the status; 0 if there is none.
func sendFake(line string, into any) int {
	text, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
	}
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		return 0
	}
	method, uri, _ := strings.Cut(line, " ")
	request, err := http.NewRequest(method, config.Clusters[0].Cluster.Server+uri, http.NoBody)
	if err != nil {
		return 0
	}
	request.Header.Set("Kubectl-Command", "kubectl fake")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && into != nil && strings.HasPrefix(string(body), `{"apiVersion"`) {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return 0
	}
	return response.StatusCode
}

// command returns a command of the fake.
func command(t *testing.T, args ...string) Command {
	t.Helper()
	program := filepath.Join(t.TempDir(), fakeName)
	own, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(own, program))
	return Command{Program: program, Arguments: args, Resources: discovery.BuiltIn(), Environment: os.Environ()}
}

// lines returns what the command sends, with the conditions in brackets.
func lines(t *testing.T, c Command) []string {
	t.Helper()
	requests, err := c.Requests(t.Context())
	require.NoError(t, err)
	var out []string
	for _, request := range requests.Sent {
		line := request.Method + " " + request.URI
		if request.When != "" {
			line += " [" + request.When + "]"
		}
		out = append(out, line)
	}
	return out
}
