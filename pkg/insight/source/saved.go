package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/yaml"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/replica"
)

// saved is a directory of saved answers:
//
//	flowschemas.yaml, prioritylevelconfigurations.yaml    lists, also in JSON, or
//	.../flowcontrol.apiserver.k8s.io/...                  one file per object, as in a
//	                                                      must-gather
//	version.json                                          the response of /version
//	metrics, dump_priority_levels, dump_queues,           the responses of one replica,
//	dump_requests, top_flows, rejections                  also with .txt or .json
//	REPLICA/metrics ...                                   those of several replicas
//
// Directories may be nested.
type saved struct{ options Options }

var _ base = (*saved)(nil)

// findings are the files of a directory that are used.
type findings struct {
	manifests []string
	// answers are the files of the replicas, by their directory and endpoint.
	answers map[string]map[replica.Endpoint]string
	version string
}

func (s *saved) find() (findings, error) {
	found := findings{answers: map[string]map[replica.Endpoint]string{}}
	err := filepath.WalkDir(s.options.Dumps, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		stem, extension := splitName(entry.Name())
		switch endpoint, isAnswer := endpointNamed(stem); {
		case isAnswer && slices.Contains([]string{"", ".txt", ".json", ".prom"}, extension):
			directory := filepath.Dir(path)
			if found.answers[directory] == nil {
				found.answers[directory] = map[replica.Endpoint]string{}
			}
			found.answers[directory][endpoint] = path
		case stem == "version" && extension == ".json":
			found.version = path
		case isManifest(path, stem, extension):
			found.manifests = append(found.manifests, path)
		}
		return nil
	})
	if err != nil {
		return found, &Error{Reason: ReasonFiles, Err: err, Message: fmt.Sprintf("The directory of saved answers cannot be read: %s.", oneSentence(err))}
	}
	if len(found.manifests) == 0 && len(found.answers) == 0 {
		return found, &Error{Reason: ReasonFiles, Message: fmt.Sprintf(
			"%s holds neither flow schemas nor answers of an API server: must have files named as the endpoints (metrics, dump_priority_levels, ...) or as the resources (flowschemas.yaml, ...).",
			s.options.Dumps)}
	}
	return found, nil
}

func splitName(name string) (stem, extension string) {
	extension = filepath.Ext(name)
	return strings.TrimSuffix(name, extension), extension
}

// endpointNamed returns the endpoint whose last part is a name.
func endpointNamed(name string) (replica.Endpoint, bool) {
	for _, endpoint := range replica.Endpoints() {
		if strings.HasSuffix(string(endpoint), "/"+name) {
			return endpoint, true
		}
	}
	return "", false
}

func isManifest(path, stem, extension string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, extension) {
		return false
	}
	if stem == "flowschemas" || stem == "prioritylevelconfigurations" {
		return true
	}
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), flowcontrolv1.GroupName)
}

// Configuration reads the objects of the directory, and the built-in ones if it has none.
func (s *saved) Configuration(context.Context) (configuration.Configuration, error) {
	found, err := s.find()
	if err != nil {
		return configuration.Configuration{}, err
	}
	info := found.readVersion()
	release, notes := s.release(info)
	files, err := readManifests(found.manifests)
	if err != nil {
		return configuration.Configuration{}, err
	}
	out := configuration.Configuration{Release: release, FlowSchemas: files.FlowSchemas(), PriorityLevels: files.PriorityLevels(), Notes: notes}
	out.Own = isOwn(info) || found.haveOwnAnswers()
	for _, err := range files.Errors {
		out.Notes = append(out.Notes, fmt.Sprintf("It cannot be read: %s.", oneSentence(err)))
	}
	if out, err = fill(out); err != nil {
		return out, err
	}
	if out.Total = s.options.Total; out.Total == 0 {
		total, note := inferTotal(out.PriorityLevels, s.anyMetrics(found))
		out.Total = total
		out.Notes = append(out.Notes, note)
	}
	return out, nil
}

// fill adds the built-in objects of a kind that is missing altogether.
func fill(out configuration.Configuration) (configuration.Configuration, error) {
	if len(out.FlowSchemas) > 0 && len(out.PriorityLevels) > 0 {
		return out, nil
	}
	standard, err := configuration.BuiltIn(out.Release)
	if err != nil {
		return out, &Error{Reason: ReasonInvalid, Message: err.Error(), Err: err}
	}
	if len(out.FlowSchemas) == 0 {
		out.FlowSchemas = standard.FlowSchemas
		out.Notes = append(out.Notes, fmt.Sprintf("There are no FlowSchemas: the built-in ones of Kubernetes %s are assumed.", out.Release))
	}
	if len(out.PriorityLevels) == 0 {
		out.PriorityLevels = standard.PriorityLevels
		out.Notes = append(out.Notes, fmt.Sprintf("There are no PriorityLevelConfigurations: the built-in ones of Kubernetes %s are assumed.", out.Release))
	}
	return out, nil
}

// readVersion returns the saved version; the zero Info if it is missing or cannot be read.
func (f *findings) readVersion() (info version.Info) {
	if data, err := os.ReadFile(f.version); err == nil && yaml.Unmarshal(data, &info) == nil {
		return info
	}
	return version.Info{}
}

// haveOwnAnswers reports whether there are answers that only flowcontrol-apiserver gives.
func (f *findings) haveOwnAnswers() bool {
	for _, answers := range f.answers {
		if answers[replica.EndpointFlows] != "" || answers[replica.EndpointRejections] != "" {
			return true
		}
	}
	return false
}

// isOwn reports whether a version is that of flowcontrol-apiserver.
func isOwn(info version.Info) bool {
	return strings.Contains(info.GitVersion, "+flowcontrol-apiserver.")
}

// release returns the release of the options, of the saved version, or the newest one.
func (s *saved) release(info version.Info) (configuration.Release, []string) {
	if s.options.Release != "" {
		return s.options.Release, nil
	}
	if release := configuration.ReleaseOf(info.GitVersion); release != "" {
		return release, nil
	}
	return configuration.Newest, []string{fmt.Sprintf("The release of the API server is unknown: Kubernetes %s is assumed; --release names another.", configuration.Newest)}
}

func readManifests(paths []string) (Files, error) {
	var files Files
	decoder, err := newDecoder()
	if err != nil {
		return files, &Error{Reason: ReasonFiles, Message: err.Error(), Err: err}
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		documents, splitErr := split(path, data)
		if err = errors.Join(err, splitErr); err != nil {
			files.Errors = append(files.Errors, fileErrorOf(path, err))
		}
		for _, document := range documents {
			files.add(decoder, document)
		}
	}
	return files, nil
}

// anyMetrics returns the metrics of the first replica that has some.
func (s *saved) anyMetrics(found findings) replica.Metrics {
	for _, state := range s.states(found, Want{Metrics: true}) {
		if len(state.Metrics.Levels) > 0 {
			return state.Metrics
		}
	}
	return replica.Metrics{}
}

// Replicas reads the saved answers.
func (s *saved) Replicas(_ context.Context, want Want) ([]replica.Replica, error) {
	found, err := s.find()
	if err != nil {
		return nil, err
	}
	return s.states(found, want), nil
}

func (s *saved) states(found findings, want Want) []replica.Replica {
	var states []replica.Replica
	for directory, answers := range found.answers {
		state := replica.Replica{Name: directory}
		for _, endpoint := range want.endpoints() {
			path, exists := answers[endpoint]
			if !exists {
				state.Missing = append(state.Missing, replica.Missing{What: string(endpoint), Why: fmt.Sprintf("%s has no file for it.", directory)})
				continue
			}
			readAnswer(&state, endpoint, path)
		}
		states = append(states, state)
	}
	slices.SortFunc(states, func(a, b replica.Replica) int { return strings.Compare(a.Name, b.Name) })
	return states
}

func readAnswer(state *replica.Replica, endpoint replica.Endpoint, path string) {
	file, err := os.Open(path)
	if err != nil {
		state.Missing = append(state.Missing, replica.Missing{What: string(endpoint), Why: fmt.Sprintf("The file cannot be read: %s.", oneSentence(err))})
		return
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.ModTime().After(state.Read) {
		state.Read = info.ModTime()
	}
	state.Add(endpoint, file)
}

// Facts returns none: saved answers do not have them.
func (s *saved) Facts(context.Context) (Facts, error) {
	return Facts{Missing: []replica.Missing{{What: "cluster", Why: "Saved answers do not tell of namespaces, resources, API services and webhooks."}}}, nil
}
