package hostile

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// A flooder is a process of its own, of the lowest priority: clients of other machines take
// no processor time from a server, and none from the user whose waits are measured. It is
// the test's own program with an order in its environment.
const (
	orderVariable = "HOSTILE_FLOOD"
	// flooding is what a flooder prints when each stream was answered once on average.
	flooding = "flooding"
)

// order is what a flooder is to do.
type order struct {
	Flood   int    `json:"flood"`
	URL     string `json:"url"`
	CA      []byte `json:"ca"`
	Streams int    `json:"streams"`
}

// RunFlooder does what the order in the environment says until SIGTERM, and prints the
// counts of the answers as JSON. It reports whether there is an order.
func RunFlooder() (bool, error) {
	text, ordered := os.LookupEnv(orderVariable)
	if !ordered {
		return false, nil
	}
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return true, fmt.Errorf("%s: %w", orderVariable, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(o.CA) {
		return true, errors.New(orderVariable + ": no certificate")
	}
	tally := &Tally{}
	go func() {
		if err := tally.await(ctx, o.Streams); err == nil {
			fmt.Println(flooding)
		}
	}()
	Floods()[o.Flood].run(ctx, &Server{URL: o.URL, roots: roots}, o.Streams, tally)
	<-ctx.Done()
	return true, json.NewEncoder(os.Stdout).Encode(tally.Counts())
}

// Under returns what Ask got while a flood reached the server on that many streams, and the
// answers to the flood.
func Under(t harness.TB, flood int, s *Server, streams, count int) (Reading, *Tally, error) {
	if Floods()[flood].message == nil {
		reading, err := s.Ask(t.Context(), count, "question")
		return reading, &Tally{}, err
	}
	text, err := json.Marshal(order{Flood: flood, URL: s.URL, CA: s.ca, Streams: streams})
	if err != nil {
		return Reading{}, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return Reading{}, nil, err
	}
	flooder := harness.StartProcess(t, harness.Command{Path: "nice", Args: []string{"-n", "19", self}, Env: []string{orderVariable + "=" + string(text)}})
	if err := flooder.WaitOutput(t.Context(), flooding); err != nil {
		return Reading{}, nil, err
	}
	reading, err := s.Ask(t.Context(), count, "question")
	if err != nil {
		return reading, nil, err
	}
	flooder.Stop(t)
	_, counts, _ := strings.Cut(flooder.Output(), flooding)
	tally := &Tally{}
	return reading, tally, json.Unmarshal([]byte(counts), &tally.counts)
}
