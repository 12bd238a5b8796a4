package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// state is a file with the results of an interrupted run. With an empty path,
// nothing is kept.
type state struct {
	path    string
	Seed    uint64
	Results map[string]result // by the mutant's id
}

func openState(path string, seed uint64) (*state, error) {
	s := &state{path: path, Seed: seed, Results: map[string]result{}}
	if path == "" {
		return s, nil
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, s); err != nil {
		return nil, fmt.Errorf("%s is no state of a run: %w", path, err)
	}
	if s.Seed != seed {
		return nil, fmt.Errorf("%s is the state of a run with -seed %d: give that seed, or another file", path, s.Seed)
	}
	return s, nil
}

func (s *state) of(m *mutant) (result, bool) {
	r, known := s.Results[m.id()]
	return r, known
}

func (s *state) add(m *mutant, r result) error {
	s.Results[m.id()] = r
	if s.path == "" {
		return nil
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	// The rename makes the write atomic.
	if err := os.WriteFile(s.path+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}
