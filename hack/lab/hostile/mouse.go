package hostile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// pace is the time between two reads of the mouse.
const pace = 10 * time.Millisecond

// Reading is what the mouse got.
type Reading struct {
	// Latencies are for reads that were answered with 200.
	Latencies []time.Duration
	// Rejected is the number of reads that were answered with 429.
	Rejected int
	// Failures are other answers.
	Failures []string
}

// P99 returns the latency that 99 % of the reads do not exceed; 0 if there are none.
func (r Reading) P99() time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return measurement.Quantile(r.Latencies, 0.99)
}

// read reads one flow schema again and again, and waits for each answer, until ctx ends.
func (s *Server) read(ctx context.Context) Reading {
	var reading Reading
	client := s.client(false)
	defer client.CloseIdleConnections()
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for ctx.Err() == nil {
		reading.add(s.get(context.WithoutCancel(ctx), client))
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	return reading
}

// mouseTimeout is how long the mouse waits for an answer.
const mouseTimeout = 30 * time.Second

func (s *Server) get(ctx context.Context, client *http.Client) (time.Duration, int, error) {
	ctx, cancel := context.WithTimeout(ctx, mouseTimeout)
	defer cancel()
	begin := time.Now()
	status, err := s.send(ctx, client, message{method: http.MethodGet, path: schemas + "/catch-all", token: mouse})
	return time.Since(begin), status, err
}

func (r *Reading) add(took time.Duration, status int, err error) {
	switch {
	case err != nil:
		r.Failures = append(r.Failures, err.Error())
	case status == http.StatusTooManyRequests:
		r.Rejected++
	case status != http.StatusOK:
		r.Failures = append(r.Failures, fmt.Sprintf("answered %d", status))
	default:
		r.Latencies = append(r.Latencies, took)
	}
}

// message is a request. Without a token it is anonymous.
type message struct {
	method, path, token string
	headers             map[string]string
	body                io.Reader
}

// send sends a request, reads the whole answer, and returns its status.
func (s *Server) send(ctx context.Context, client *http.Client, m message) (int, error) {
	return s.exchange(ctx, client, m, io.Discard)
}

// exchange is send, and writes the body of the answer.
func (s *Server) exchange(ctx context.Context, client *http.Client, m message, body io.Writer) (int, error) {
	request, err := http.NewRequestWithContext(ctx, m.method, s.URL+m.path, m.body)
	if err != nil {
		return 0, err
	}
	for name, value := range m.headers {
		request.Header.Set(name, value)
	}
	if m.token != "" {
		request.Header.Set("Authorization", "Bearer "+m.token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(body, response.Body)
	return response.StatusCode, err
}
