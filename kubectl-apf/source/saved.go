package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// saved is a directory of saved API responses, or an archive of one: a must-gather, a support
// bundle of troubleshoot.sh, or the output of kubectl get --raw under any name.
//
// Files are recognized by their content: objects of the API group, in YAML or JSON, one
// by one or in lists; the responses of one API server to each replica.Endpoint and to
// /version. serversOf says which answers are of one server. What is left out is noted.
type saved struct {
	withoutReviews
	options Options
	// find reads the directory once.
	find func() (*findings, error)
}

func newSaved(options Options) *saved {
	s := &saved{options: options}
	s.find = sync.OnceValues(s.read)
	return s
}

var _ base = (*saved)(nil)

// findings are what a directory has.
type findings struct {
	objects Files
	servers []*savedServer
	version version.Info
	out     leftOut
}

func (s *saved) read() (*findings, error) {
	found := &findings{out: leftOut{}}
	var answers []savedAnswer
	var manifests []savedFile
	var kept int64
	keeps := func(file savedFile) bool {
		kept += int64(len(file.data))
		if kept > s.options.Bounds.Kept {
			found.out.add(file.path, fmt.Sprintf("They are too much to read: bytes of the answers and objects together; the bound is %d.", s.options.Bounds.Kept))
		}
		return kept <= s.options.Bounds.Kept
	}
	files := savedFiles{bounds: s.options.Bounds, skip: found.out.add, visit: func(file savedFile) {
		file.data = file.body()
		info, isVersion := versionOf(file.data)
		endpoint, isAnswer := file.recognize()
		switch hasObjects := !isAnswer && isManifest(file.data); {
		case (isAnswer || hasObjects) && !keeps(file):
		case isAnswer:
			answers = append(answers, newSavedAnswers(file, endpoint)...)
		case hasObjects:
			manifests = append(manifests, file)
		case isVersion:
			// Other programs of a must-gather have versions too.
			if found.version.GitVersion == "" || strings.Contains(file.inside, "/pods/kube-apiserver") {
				found.version = info
			}
		default:
			found.out.add(file.path, file.whyNot())
		}
	}}
	if err := files.walk(s.options.Dumps); err != nil {
		return found, sentence("The saved API responses cannot be read: %s.", oneSentence(err))
	}
	found.servers = serversOf(answers, found.out)
	if len(manifests) == 0 && len(found.servers) == 0 {
		return found, s.nothing(found, "neither flow schemas nor answers of an API server")
	}
	found.readManifests(manifests, s.options.Bounds)
	return found, nil
}

// nothing is the error of a directory that has not what is needed.
func (s *saved) nothing(found *findings, what string) error {
	message := fmt.Sprintf("%s has %s: must have what kubectl get --raw prints for %s or /metrics, or objects as kubectl get -o yaml prints them.",
		s.options.Dumps, what, replica.EndpointLevels)
	return sentence("%s", strings.Join(append([]string{message}, found.out.notes()...), " "))
}

// Configuration reads the objects of the directory, and the built-in ones if it has none.
func (s *saved) Configuration(context.Context) (configuration.Configuration, error) {
	found, err := s.find()
	if err != nil {
		return configuration.Configuration{}, err
	}
	release, notes := s.release(found.version)
	files := &found.objects
	out := configuration.Configuration{Release: release, FlowSchemas: files.FlowSchemas(), PriorityLevels: files.PriorityLevels(), Notes: notes}
	out.Own = isOwn(found.version) || slices.ContainsFunc(found.servers, func(s *savedServer) bool { return s.own })
	for _, err := range files.Errors {
		out.Notes = append(out.Notes, fmt.Sprintf("It cannot be read: %s.", oneSentence(err)))
	}
	out.Notes = slices.Concat(out.Notes, files.Notes, found.out.notes())
	if out, err = fill(out, found.levelsWithoutObject(), files.pages); err != nil {
		return out, err
	}
	if out.Total = s.options.Total; out.Total == 0 {
		var metrics replica.Metrics
		if i := slices.IndexFunc(found.servers, func(s *savedServer) bool { return len(s.state.Metrics.Levels) > 0 }); i >= 0 {
			metrics = found.servers[i].state.Metrics
		}
		total, note := inferTotal(out.PriorityLevels, metrics)
		out.Total, out.Notes = total, append(out.Notes, note)
	}
	return out, nil
}

// levelsWithoutObject returns the levels that servers tell of, and that have no object here, sorted: the
// objects are not all.
func (f *findings) levelsWithoutObject() []string {
	told := map[string]bool{}
	for _, server := range f.servers {
		for i := range server.state.Levels {
			told[server.state.Levels[i].Name] = true
		}
		for name := range server.state.Metrics.Levels {
			told[name] = true
		}
	}
	for _, level := range f.objects.PriorityLevels() {
		delete(told, level.Name)
	}
	return slices.Sorted(maps.Keys(told))
}

// fill adds the built-in objects of a kind where the files have no object or a part, such as one of the pages of
// a list, and of both kinds if the servers have levels that the files lack.
func fill(out configuration.Configuration, missing []string, pages map[string]bool) (configuration.Configuration, error) {
	standard, err := configuration.BuiltIn(out.Release)
	if err != nil {
		return out, err
	}
	missing = slices.DeleteFunc(missing, isMandatory) // built in
	schemas, levels := out.FlowSchemas, out.PriorityLevels
	out.Assumed = len(schemas) == 0 && len(levels) == 0
	reasons := []string{whyPart(schemas, "FlowSchema", pages), whyPart(levels, "PriorityLevelConfiguration", pages)}
	if len(missing) > 0 && len(schemas) > 0 && len(levels) > 0 {
		reasons[0] = fmt.Sprintf("API servers have priority levels without an object here, %s, so objects are missing", strings.Join(missing, ", "))
		reasons[1] = reasons[0]
	}
	if reasons[0] != "" {
		out.FlowSchemas = standard.FlowSchemas
	}
	if reasons[1] != "" {
		out.PriorityLevels = standard.PriorityLevels
	}
	for _, why := range slices.Compact(reasons) {
		if why != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: the built-in ones of Kubernetes %s are assumed.", why, out.Release))
		}
	}
	return out.Overlay(schemas, levels), nil
}

// isMandatory reports whether every API server has an object of the name, of either kind.
func isMandatory(name string) bool { return name == "exempt" || name == "catch-all" }

// whyPart says why objects of a kind are not all that an API server has; it is empty if they may be.
func whyPart[O metav1.Object](objects []O, kind string, pages map[string]bool) string {
	mandatory := 0
	for _, object := range objects {
		if isMandatory(object.GetName()) {
			mandatory++
		}
	}
	switch {
	case len(objects) == 0:
		return fmt.Sprintf("There are no %ss", kind)
	case mandatory < 2:
		return fmt.Sprintf("There are not all %ss, since exempt or catch-all is missing, which every API server has", kind)
	case pages[kind]:
		return fmt.Sprintf("There are not all %ss, since a file has a list that continues on another page", kind)
	default:
		return ""
	}
}

// isOwn reports whether a version is flowcontrol-apiserver's.
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

// readManifests reads the objects. Of an object that is there more than once, the latest
// is used.
func (f *findings) readManifests(manifests []savedFile, bounds plain.Bounds) {
	decoder := newDecoder()
	for i := range manifests {
		documents, err := split(manifests[i].path, manifests[i].data, bounds)
		if err != nil {
			f.objects.Errors = append(f.objects.Errors, fileErrorOf(manifests[i].path, err))
		}
		for _, document := range documents {
			document.found = true
			f.objects.add(decoder, document)
		}
	}
	f.objects.Objects = f.latest(f.objects.Objects)
}

func (f *findings) latest(objects []Object) (kept []Object) {
	positions := map[string]int{}
	for _, object := range objects {
		key := object.Kind() + "/" + object.Name()
		at, exists := positions[key]
		if !exists {
			positions[key], kept = len(kept), append(kept, object)
			continue
		}
		if object.resourceVersion() > kept[at].resourceVersion() {
			object, kept[at] = kept[at], object
		}
		f.out.add(object.Place.String(), "They are objects that other files have too, as late or later.")
	}
	return kept
}

// resourceVersion is the version that a server gave the object, 0 without one.
func (o *Object) resourceVersion() uint64 {
	number, _ := strconv.ParseUint(o.metadata().ResourceVersion, 10, 64) // other texts have no order
	return number
}

// Replicas reads the saved API responses. What was left out is missing of the first replica.
func (s *saved) Replicas(_ context.Context, want Want) ([]replica.Replica, error) {
	found, err := s.find()
	if err != nil {
		return nil, err
	}
	if len(found.servers) == 0 && want.Required {
		return nil, s.nothing(found, "no answers of an API server")
	}
	var states []replica.Replica
	for _, server := range found.servers {
		states = append(states, server.wanted(want))
	}
	if len(states) > 0 {
		for _, note := range found.out.notes() {
			states[0].Missing = append(states[0].Missing, replica.Missing{What: "files", Why: note})
		}
	}
	return states, nil
}

// Facts returns none: saved API responses do not have them.
func (s *saved) Facts(context.Context) (Facts, error) {
	return Facts{Missing: []replica.Missing{{What: "cluster", Why: "Saved API responses do not include namespaces, resources, API services and webhooks."}}}, nil
}
