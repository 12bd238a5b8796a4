package chaos

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// List is a list of levels that a client got.
type List struct {
	histories.List
	// Call and Return are when it was asked for and answered, in nanoseconds since the start of the
	// run. They are 0 if the list may be older than the most recent state.
	Call, Return int64
}

// fields is a JSON object.
type fields = map[string]any

// etcdRun is a run in the words of etcd's robustness tests: an object is a key, and the writes of
// both resources have the revisions from 2 on. What else etcd stores has none.
type etcdRun struct {
	writes []etcdWrite
	at     map[int64]int    // of the write of a version, among writes
	tokens map[int64]int    // of the write of a level with a token
	keys   map[string][]int // the writes of each key
	// operations are what clients did.
	operations []*etcdOperation
}

// etcdWrite is a write, and between which times it was made.
type etcdWrite struct {
	Write
	call, end int64
	// count is how often the key was written since it was created; 0 is a deletion.
	count int64
	// by is set if the operation of a client stands for it.
	by bool
}

// started is the time at which clients start. Before it are the writes of the first state.
const started = int64(time.Hour)

// WriteEtcd writes the run into a folder, as etcd's robustness tests keep it for their validators.
//
// Their model knows no answer without the revision of the store. Such an answer, of a read of an object or of a
// request that a precondition rejected, becomes a read at the first revision that it may be of: not before
// what was answered before it was asked. If any revision does, that one does. Which deletion in etcd
// was whose is found in the same way. Conflicts over uids and over owners of fields have no counterpart.
// Lists that may be old stand at the end.
func (r *Run) WriteEtcd(folder string) error {
	e := newEtcdRun(r.Journal)
	e.add(1, 2, 1, fields{"Type": "range", "Range": fields{"Start": "-"}}, fields{"Range": fields{"KVs": []fields{}}})
	for _, list := range r.Lists {
		e.addList(Levels, list)
	}
	e.addOperations(r.Operations)
	e.placeDeletions(r.Operations)
	e.addOthers()
	e.sweep(e.place)
	var requests, watches, operations []fields
	for _, w := range e.writes {
		requests = append(requests, transaction("", 0, changeOf(w.Write)))
	}
	for _, w := range r.Watchers {
		for _, list := range w.Lists {
			e.addList(w.Resource, List{List: list})
		}
		for _, connection := range w.Watches {
			watches = append(watches, e.watch(w.Resource, connection))
		}
	}
	for i, o := range e.operations { // each of a client of its own, since operations without an answer overlap
		o.output["Revision"] = o.revision
		operations = append(operations, fields{"ClientID": i + 1, "Call": o.call, "Return": max(o.end, o.call+1), "Input": o.input, "Output": o.output})
	}
	for name, content := range map[string][]fields{"client-1/operations.json": operations, "client-1/watch.json": watches, "requests.json": requests} {
		if err := writeJSON(filepath.Join(folder, name), content); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one value after the other.
func writeJSON(path string, values []fields) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	for _, value := range values {
		if err := encoder.Encode(value); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}

func newEtcdRun(journal Journal) *etcdRun {
	e := &etcdRun{at: map[int64]int{}, tokens: map[int64]int{}, keys: map[string][]int{}}
	first := slices.SortedFunc(slices.Values(journal.First), func(a, b Write) int { return int(a.Version - b.Version) })
	counts := map[key]int64{}
	for i, w := range slices.Concat(first, journal.Writes) {
		added := etcdWrite{Write: w, call: started, end: started + int64(w.At)}
		if i < len(first) {
			added.call = int64(10 * (i + 1))
			added.end = added.call + 5
		}
		counts[w.key()]++
		if w.Deleted {
			counts[w.key()] = 0
		}
		added.count = counts[w.key()]
		e.writes, e.at[w.Version] = append(e.writes, added), i
		e.keys[keyOf(w.Resource, w.Name)] = append(e.keys[keyOf(w.Resource, w.Name)], i)
		if w.Resource == Levels && w.Token != 0 {
			e.tokens[w.Token] = i
		}
	}
	return e
}

// revision returns the revision of etcd at a version, after the last write up to it.
func (e *etcdRun) revision(version int64) int64 {
	after, _ := slices.BinarySearchFunc(e.writes, version+1, func(w etcdWrite, v int64) int { return int(w.Version - v) })
	return int64(after) + 1
}

// state returns the write of a key that is current at a revision, nil if the key is absent.
func (e *etcdRun) state(key string, revision int64) *etcdWrite {
	for _, i := range slices.Backward(e.keys[key]) {
		if int64(i)+2 <= revision {
			if e.writes[i].Deleted {
				return nil
			}
			return &e.writes[i]
		}
	}
	return nil
}

func (e *etcdRun) add(call, end, revision int64, input, output fields) {
	e.operations = append(e.operations, &etcdOperation{call: call, end: end, revision: revision, input: input, output: output})
}

func keyOf(resource, name string) string { return resource + "/" + name }

func value(content string) fields { return fields{"Value": content[:min(len(content), 16)]} }

// changeOf returns what a write does.
func changeOf(w Write) fields {
	key := keyOf(w.Resource, w.Name)
	if w.Deleted {
		return fields{"Type": "delete-operation", "Delete": fields{"Key": key}}
	}
	return fields{"Type": "put-operation", "Put": fields{"Key": key, "Value": value(w.Content)}}
}

// transaction makes a change if the key has a revision, 0 if it is absent; without a key always.
func transaction(key string, revision int64, change fields) fields {
	conditions := []fields{}
	if key != "" {
		conditions = append(conditions, fields{"Key": key, "ExpectedRevision": revision})
	}
	return fields{"Type": "txn", "Txn": fields{"Conditions": conditions, "OperationsOnSuccess": []fields{change}}}
}

// succeeded is the answer to a transaction that changed something.
func succeeded(w Write) fields {
	result := fields{}
	if w.Deleted {
		result["Deleted"] = 1
	}
	return fields{"Txn": fields{"Results": []fields{result}}}
}

// kv is a key as a read shows it.
func (e *etcdRun) kv(w *etcdWrite) fields {
	return fields{"Key": keyOf(w.Resource, w.Name), "Value": value(w.Content), "ModRevision": e.revision(w.Version), "Version": w.count}
}

// addList adds a list: as what was there when it was asked for, or at the end as what was there at
// its version.
func (e *etcdRun) addList(resource string, list List) {
	kvs := []fields{}
	for _, object := range slices.SortedFunc(slices.Values(list.Objects), func(a, b histories.Object) int { return strings.Compare(a.Name, b.Name) }) {
		listed := etcdWrite{Write: Write{Resource: resource, Name: object.Name, Version: object.Version, Content: object.Content}}
		if i, ok := e.at[object.Version]; ok {
			listed.count = e.writes[i].count
		}
		kvs = append(kvs, e.kv(&listed))
	}
	at := fields{"Start": resource + "/", "End": resource + "0"}
	call, end, revision := started+list.Call, started+list.Return, e.revision(list.Version)
	if list.Call == 0 {
		at["Revision"] = revision
		call, revision = 2*e.writes[len(e.writes)-1].end+2*int64(len(e.operations)), int64(len(e.writes))+1
		end = call + 1
	}
	e.add(call, end, revision, fields{"Type": "range", "Range": at}, fields{"Range": fields{"KVs": kvs, "Count": len(kvs)}})
}

// watch returns a connection of a watcher.
func (e *etcdRun) watch(resource string, w histories.Watch) fields {
	responses := []fields{}
	for _, event := range w.Events {
		if event.Type == watch.Bookmark {
			responses = append(responses, fields{"IsProgressNotify": true, "Revision": e.revision(event.Version)})
			continue
		}
		told := fields{"Type": "put-operation", "Key": keyOf(resource, event.Object.Name), "Revision": e.revision(event.Version)}
		if event.Type == watch.Deleted {
			told["Type"] = "delete-operation"
		} else {
			told["Value"], told["IsCreate"] = value(event.Object.Content), event.Type == watch.Added
		}
		responses = append(responses, fields{"Events": []fields{told}})
	}
	return fields{"Request": fields{"Key": resource + "/", "WithPrefix": true, "Revision": e.revision(w.After) + 1}, "Responses": responses}
}
