package options

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Source is where a configuration comes from.
type Source string

// The sources.
const (
	fromFile    Source = "file"
	fromCluster Source = "cluster"
	builtIn     Source = "built-in"
)

// bestFirst are the sources, the best one first.
func bestFirst() []Source { return []Source{fromFile, fromCluster, builtIn} }

// betterThan reports whether s is a better source than other.
func (s Source) betterThan(other Source) bool {
	for _, source := range bestFirst() {
		if source == s || source == other {
			return source == s && s != other
		}
	}
	return false
}

// Status says where the configuration comes from.
type Status struct {
	// Source is file, cluster or built-in.
	Source Source `json:"source"`
	// Place is the path of the file or folder, or the version of the objects of the cluster.
	Place string `json:"place,omitempty"`
	// Since is when this source came into force.
	Since time.Time `json:"since"`
	// Problems are what is wrong, by source: why a better source is not used, or why the
	// last change of this one is not.
	Problems map[Source]string `json:"problems,omitempty"`
}

// sources decides which configuration is used. It is safe for concurrent use.
type sources struct {
	apply func([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) []engine.Problem
	clock clock.PassiveClock

	offering sync.Mutex // held while a configuration is applied, so that the better one comes last

	mu      sync.Mutex // guards what follows
	current Status
}

func newSources(apply func([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) []engine.Problem, c clock.PassiveClock) *sources {
	return &sources{apply: apply, clock: c, current: Status{Problems: map[Source]string{}}}
}

// offer puts the configuration of a source into force, unless a better source's is. Objects of the
// cluster may be invalid one by one, and are ignored. wrong is what is wrong with
// the source all the same, nil if nothing.
func (s *sources) offer(source Source, place string, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema, wrong error) {
	s.offering.Lock()
	defer s.offering.Unlock()
	if s.status().Source.betterThan(source) {
		s.complain(source, wrong)
		return
	}
	if problems := s.apply(levels, schemas); len(problems) > 0 {
		wrong = errors.Join(wrong, engineProblems(problems))
	}
	if s.becomes(source, place) {
		klog.InfoS("Flow control has a new source of its configuration", "source", source, "place", place,
			"flowSchemas", len(schemas), "priorityLevels", len(levels))
	}
	s.complain(source, wrong)
}

// becomes notes which source is used, and reports whether it is new.
func (s *sources) becomes(source Source, place string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.Source == source && s.current.Place == place {
		return false
	}
	s.current.Source, s.current.Place, s.current.Since = source, place, s.clock.Now()
	return true
}

// complain notes what is wrong with a source, nil if nothing, and logs it unless it is known.
func (s *sources) complain(source Source, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.current.Problems, source)
		return
	}
	problem := strings.ReplaceAll(err.Error(), "\n", "; ") // klog writes a block for lines
	if s.current.Problems[source] == problem {
		return
	}
	s.current.Problems[source] = problem
	klog.ErrorS(errors.New(problem), "A source of the configuration of flow control cannot be used, the last valid configuration is kept",
		"source", source, "inForce", s.current.Source)
}

// status returns a copy.
func (s *sources) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.current
	status.Problems = maps.Clone(s.current.Problems)
	return status
}
