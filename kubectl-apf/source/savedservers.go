package source

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// savedServer is what was saved of one API server.
type savedServer struct {
	pod     string
	answers map[replica.Endpoint]*savedAnswer // that are used
	own     bool                              // it has answers that only flowcontrol-apiserver gives
	state   replica.Replica
}

// serversOf groups answers by server:
//
//   - Federated metrics are of the servers that their label instance names.
//   - Answers below .../pods/NAME are of that pod, however often it was saved.
//   - Others are of one server if they are in one directory; if an endpoint is there
//     more than once, what differs in the names of the files tells the servers apart.
//   - Servers that started at the same time, or that have a request in common, are one.
//
// Of each server the latest answer of an endpoint is used.
func serversOf(answers []savedAnswer, out leftOut) []*savedServer {
	groups := map[string][]savedAnswer{}
	for i := range answers {
		key := answers[i].place()
		groups[key] = append(groups[key], answers[i])
	}
	var servers []*savedServer
	for _, group := range groups {
		first, parts := &group[0], map[string][]savedAnswer{"": group}
		name := first.directory()
		switch {
		case first.instance != "":
			name = first.instance
		case first.pod == "":
			parts = divided(group, out)
		}
		for part := range parts {
			servers = append(servers, newSavedServer(filepath.Join(name, part), parts[part], out))
		}
	}
	slices.SortFunc(servers, func(a, b *savedServer) int { return strings.Compare(a.state.Name, b.state.Name) })
	return distinct(onlyKubeAPIServers(servers, out), out)
}

// divided divides the answers of a directory by the words that tell the files of an endpoint apart, such as m0
// and m1 in m0-metrics.txt and m1-metrics.txt. A file that is the only one of its endpoint is of the server
// whose words its name has.
func divided(group []savedAnswer, out leftOut) map[string][]savedAnswer {
	byEndpoint, parts := map[replica.Endpoint][]savedAnswer{}, map[string][]savedAnswer{}
	for i := range group {
		byEndpoint[group[i].endpoint] = append(byEndpoint[group[i].endpoint], group[i])
	}
	for _, files := range byEndpoint {
		for i := range files {
			own := slices.DeleteFunc(files[i].words(), func(word string) bool {
				return !slices.ContainsFunc(files, func(other savedAnswer) bool { return !slices.Contains(other.words(), word) })
			})
			if len(files) > 1 {
				name := strings.Join(own, "-")
				parts[name] = append(parts[name], files[i])
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(parts), func(a, b string) int { return len(b) - len(a) })
	if len(names) == 0 {
		return map[string][]savedAnswer{"": group}
	}
	for _, files := range byEndpoint {
		if len(files) > 1 {
			continue
		}
		i := slices.IndexFunc(names, func(name string) bool {
			return strings.Contains("-"+strings.Join(files[0].words(), "-")+"-", "-"+name+"-") || name == ""
		})
		if i < 0 {
			out.add(files[0].path, "It is unclear which API server they are from: save the answers of each in its own directory.")
			continue
		}
		parts[names[i]] = append(parts[names[i]], files[0])
	}
	for _, name := range names {
		if isCopy(parts, name) {
			for i := range parts[name] {
				out.add(parts[name][i].path, "They are copies of other files.")
			}
			delete(parts, name)
		}
	}
	return parts
}

// isCopy reports whether another part has all that the named one has.
func isCopy(parts map[string][]savedAnswer, name string) bool {
	for other, all := range parts {
		if other != name && !slices.ContainsFunc(parts[name], func(a savedAnswer) bool {
			return !slices.ContainsFunc(all, func(b savedAnswer) bool { return a.endpoint == b.endpoint && bytes.Equal(a.data, b.data) })
		}) {
			return true
		}
	}
	return false
}

func newSavedServer(name string, group []savedAnswer, out leftOut) *savedServer {
	s := &savedServer{pod: group[0].pod, answers: map[replica.Endpoint]*savedAnswer{}, state: replica.Replica{Name: name}}
	for i := range group {
		a := &group[i]
		other := s.answers[a.endpoint]
		if other != nil && !a.isLaterThan(other) {
			a, other = other, a
		}
		if other != nil {
			out.add(other.path, "They are of an API server that has an answer as late or later.")
		}
		s.answers[a.endpoint] = a
	}
	for _, endpoint := range replica.Endpoints() {
		a := s.answers[endpoint]
		if a == nil {
			s.state.Missing = append(s.state.Missing, replica.Missing{What: string(endpoint), Why: "There is no file for it."})
			continue
		}
		s.own = s.own || endpoint == replica.EndpointFlows || endpoint == replica.EndpointRejections
		s.state.Read = latest(s.state.Read, a.modified)
		s.state.Add(endpoint, bytes.NewReader(a.data))
	}
	s.noteTimes()
	for i := range s.state.Requests {
		s.state.Taken = latest(s.state.Taken, s.state.Requests[i].Arrived, s.state.Requests[i].Started)
	}
	for i := range s.state.Rejections {
		s.state.Taken = latest(s.state.Taken, s.state.Rejections[i].Last)
	}
	return s
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// apart is how long after one another the answers of a server may be saved.
const apart = time.Minute

// noteTimes says that the metrics and the dumps are of different times, if they contradict each other or
// were written one long after the other.
func (s *savedServer) noteTimes() {
	metrics, dump := s.answers[replica.EndpointMetrics], s.answers[replica.EndpointLevels]
	if metrics == nil || dump == nil {
		return
	}
	why := ""
	if after := metrics.modified.Sub(dump.modified).Abs(); after > apart {
		why = fmt.Sprintf("The files were written %s apart.", after.Round(time.Second))
	}
	most := 0
	for i := range s.state.Levels {
		level, waiting := &s.state.Levels[i], (*int)(nil)
		for key, m := range s.state.Metrics.Schemas {
			if key.Level == level.Name {
				replica.Add(&waiting, m.Waiting)
			}
		}
		if waiting == nil {
			continue
		}
		if apart := max(*waiting-level.Waiting, level.Waiting-*waiting); apart > most {
			most, why = apart, fmt.Sprintf("On %s %d requests wait here, and %d in the dump.", level.Name, *waiting, level.Waiting)
		}
	}
	if why != "" {
		s.state.Missing = append(s.state.Missing, replica.Missing{What: string(replica.EndpointMetrics), Why: "The metrics and the dumps are of different times. " + why})
	}
}

// wanted returns the state, and of what is missing only what is wanted.
func (s *savedServer) wanted(want Want) replica.Replica {
	state, endpoints := s.state, want.Endpoints()
	state.Missing = slices.DeleteFunc(slices.Clone(state.Missing), func(m replica.Missing) bool {
		return !slices.Contains(endpoints, replica.Endpoint(m.What))
	})
	return state
}

// onlyKubeAPIServers leaves out pods of other API servers, which enforce flow control on
// their own requests, if there are pods of kube-apiserver.
func onlyKubeAPIServers(servers []*savedServer, out leftOut) []*savedServer {
	isKube := func(s *savedServer) bool { return strings.HasPrefix(path.Base(s.pod), "kube-apiserver") }
	if !slices.ContainsFunc(servers, isKube) {
		return servers
	}
	return slices.DeleteFunc(servers, func(s *savedServer) bool {
		if s.pod == "" || isKube(s) {
			return false
		}
		s.leaveOut(out, "They are of an API server other than kube-apiserver.")
		return true
	})
}

func (s *savedServer) leaveOut(out leftOut, why string) {
	for _, a := range s.answers {
		out.add(a.path, why)
	}
}

// distinct leaves out servers that were saved twice, and keeps the later ones.
func distinct(servers []*savedServer, out leftOut) []*savedServer {
	var kept []*savedServer
	for _, s := range servers {
		i := slices.IndexFunc(kept, s.isSame)
		if i < 0 {
			kept = append(kept, s)
			continue
		}
		later, earlier := s, kept[i]
		if !s.state.Read.After(earlier.state.Read) {
			later, earlier = earlier, s
		}
		earlier.leaveOut(out, fmt.Sprintf("They are of the API server of %s, which was saved twice.", later.state.Name))
		kept[i] = later
	}
	return kept
}

// isSame reports whether both are the same process.
func (s *savedServer) isSame(other *savedServer) bool {
	if s.pod != "" && other.pod != "" {
		return s.pod == other.pod
	}
	start := s.state.Metrics.ProcessStart
	if start != 0 && other.state.Metrics.ProcessStart != 0 {
		return start == other.state.Metrics.ProcessStart
	}
	return slices.ContainsFunc(s.state.Requests, func(r replica.Request) bool {
		return !r.Arrived.IsZero() && slices.ContainsFunc(other.state.Requests, func(o replica.Request) bool {
			return r.Arrived.Equal(o.Arrived) && r.Level == o.Level && r.FlowSchema == o.FlowSchema && r.Distinguisher == o.Distinguisher
		})
	})
}
