package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// maxSteps is the largest number of steps of a recorded shape.
const maxSteps = 10_000_000

// Read reads a scenario from a file, and the traces that it names. Errors name the file
// and the line.
func Read(path string) (*Scenario, error) {
	s, err := source.ReadFile(path, Parse)
	if err != nil {
		return nil, err
	}
	for i := range s.Clients {
		if open := s.Clients[i].Open; open != nil && open.Recorded != nil {
			if err := open.Recorded.read(filepath.Dir(path)); err != nil {
				return nil, fmt.Errorf("%s: clients[%d].open.recorded: %w", path, i, err)
			}
		}
	}
	return s, nil
}

// Parse reads a scenario. It does not read the traces that it names. Errors name the
// line.
func Parse(content []byte) (*Scenario, error) {
	s := &Scenario{}
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(s); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the scenario is empty")
		}
		return nil, readable(err)
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file must have one scenario, and has a second document")
	}
	document := yaml.Node{}
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, readable(err)
	}
	if found := s.problem(); found != nil {
		return nil, fmt.Errorf("line %d: %s %s", found.line(&document), found.path(), found.text)
	}
	s.fill()
	return s, nil
}

// readable returns an error of the YAML package in one line, without names of types.
func readable(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " in type ")
		lines[i] = line
	}
	return errors.New(strings.Join(lines, "; "))
}

// fill sets what is not set and has a default.
func (s *Scenario) fill() {
	if s.Start.IsZero() {
		s.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s.Replicas = max(s.Replicas, 1)
	for i := range s.Clients {
		s.Clients[i].fill(s.Duration)
	}
}

func (c *Client) fill(end Duration) {
	c.Count = max(c.Count, 1)
	if c.UserAgent == "" {
		c.UserAgent = c.Name
	}
	if c.Until == 0 {
		c.Until = end
	}
	for i := range c.Requests {
		c.Requests[i].fill()
	}
	switch {
	case c.Workers != nil:
		c.Workers.Count = max(c.Workers.Count, 1)
	case c.Controller != nil:
		c.Controller.Workers = max(c.Controller.Workers, 1)
	case c.Informer != nil && c.Informer.WatchFor == 0:
		c.Informer.WatchFor = Duration(5 * time.Minute)
	case c.Open != nil && c.Open.Recorded != nil:
		if r := c.Open.Recorded; r.Scale == 0 {
			r.Scale = 1
		}
		if r := c.Open.Recorded; r.Step == 0 {
			r.Step = Duration(time.Second)
		}
	}
}

func (r *Request) fill() {
	if r.Resource != "" && r.APIVersion == "" {
		r.APIVersion = "v1"
	}
	if r.Weight == 0 {
		r.Weight = 1
	}
	if r.Status == 0 {
		if r.Status = 200; r.Verb == "create" {
			r.Status = 201
		}
	}
}

// read counts the requests of the trace.
func (r *Recorded) read(directory string) error {
	name := r.Trace
	if !filepath.IsAbs(name) {
		name = filepath.Join(directory, name)
	}
	file, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	var start time.Time
	for {
		var one trace.Request
		switch err := file.Read(&one); {
		case errors.Is(err, io.EOF):
			if len(r.counts) == 0 {
				return fmt.Errorf("%s has no request of the user %q", name, r.User)
			}
			return nil
		case err != nil:
			return err
		}
		if start.IsZero() {
			start = one.Arrival
		}
		if r.User != "" && one.User != r.User {
			continue
		}
		step := int64(one.Arrival.Sub(start) / time.Duration(r.Step))
		if step >= maxSteps {
			return fmt.Errorf("%s: line %d is in step %d, there may be %d: set a longer step", name, file.Line(), step, maxSteps)
		}
		for int64(len(r.counts)) <= step {
			r.counts = append(r.counts, 0)
		}
		r.counts[step]++
	}
}
