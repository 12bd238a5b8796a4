package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// announceInterval is the time between two looks at readiness: short, as a
// person waits for the line.
const announceInterval = 50 * time.Millisecond

// announce says, once the server is ready, where it is and what to type next.
func (s *Server) announce(ctx context.Context, out io.Writer) {
	config := rest.CopyConfig(s.generic.LoopbackClientConfig)
	config.AcceptContentTypes = ""
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return
	}
	err = wait.PollUntilContextCancel(ctx, announceInterval, true, func(ctx context.Context) (bool, error) {
		return ready(ctx, client, config.Host), nil
	})
	if err != nil {
		return
	}
	if s.kubeconfig != "" {
		_, _ = fmt.Fprintf(out, "Ready on %s. Next, in another terminal: kubectl --kubeconfig %s get flowschemas\n", s.config.address(), s.kubeconfig)
		return
	}
	_, _ = fmt.Fprintf(out, "Ready on %s.\n", s.config.address())
}

func ready(ctx context.Context, client *http.Client, host string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}
