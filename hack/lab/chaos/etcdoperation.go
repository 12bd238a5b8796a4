package chaos

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

// etcdOperation is an operation that took place at a revision of etcd, at some time from call to end.
type etcdOperation struct {
	call, end, revision int64
	input, output       fields
	// fits says of an answer without a revision which state of the key it is about, nil if that is absent.
	fits func(state *etcdWrite) bool
	key  string
}

// addOperations adds what clients did, but for deletions.
func (e *etcdRun) addOperations(operations []porcupine.Operation) {
	for _, operation := range operations {
		in, out := operation.Input.(Input), operation.Output.(Output)
		call, end := started+operation.Call, started+operation.Return
		observe := func(fits func(*etcdWrite) bool) {
			e.operations = append(e.operations, &etcdOperation{call: call, end: end, key: keyOf(Levels, in.Name), fits: fits})
		}
		switch result := out.Result; {
		case result == Unknown:
			if i, ok := e.tokens[in.Token]; ok { // else it was never done, or a deletion
				e.writes[i].call = call
			}
		case result == Done && in.Verb == Read:
			observe(func(w *etcdWrite) bool { return w != nil && w.Version == out.Version })
		case result == Done && in.Verb != Delete:
			e.addWrite(in, out, call, end)
		case result == Absent:
			observe(func(w *etcdWrite) bool { return w == nil })
		case result == Exists:
			observe(func(w *etcdWrite) bool { return w != nil })
		case result == Conflict && in.UID == "" && in.Verb != Apply:
			observe(func(w *etcdWrite) bool { return w != nil && w.Version != in.Version })
		case result == Mismatch:
			observe(func(w *etcdWrite) bool { return w != nil && w.Token != in.Was })
		}
	}
}

// addWrite adds an acknowledged write, with the precondition that it met.
func (e *etcdRun) addWrite(in Input, out Output, call, end int64) {
	write := Write{Resource: Levels, Name: in.Name}
	if i, ok := e.at[out.Version]; ok {
		e.writes[i].by, e.writes[i].call, e.writes[i].end = true, call, end
		write = e.writes[i].Write
	}
	condition, revision := "", int64(0)
	switch was, ok := e.tokens[in.Was]; {
	case in.Version != 0:
		condition, revision = keyOf(Levels, in.Name), e.revision(in.Version)
	case ok:
		condition, revision = keyOf(Levels, in.Name), int64(was)+2
	case in.Verb == Create:
		condition = keyOf(Levels, in.Name)
	}
	e.add(call, end, e.revision(out.Version), transaction(condition, revision, changeOf(write)), succeeded(write))
}

// placeDeletions adds acknowledged deletions, each as one that etcd has: the first to be answered of all that were
// asked for in time. One that etcd lacks is at no revision.
func (e *etcdRun) placeDeletions(operations []porcupine.Operation) {
	open := map[string][]*etcdOperation{}
	for _, operation := range operations {
		in := operation.Input.(Input)
		if in.Verb != Delete || operation.Output.(Output).Result != Done {
			continue
		}
		write := Write{Resource: Levels, Name: in.Name, Deleted: true}
		key, condition := keyOf(Levels, in.Name), ""
		if in.Version != 0 {
			condition = keyOf(Levels, in.Name)
		}
		o := &etcdOperation{call: started + operation.Call, end: started + operation.Return, key: key,
			input: transaction(condition, e.revision(in.Version), changeOf(write)), output: succeeded(write)}
		e.operations, open[key] = append(e.operations, o), append(open[key], o)
	}
	earliest := map[*etcdOperation]int64{}
	e.sweep(func(o *etcdOperation, floor int64) {
		if o.fits == nil {
			earliest[o] = floor
		}
	})
	for i := range e.writes {
		w := &e.writes[i]
		key, revision := keyOf(w.Resource, w.Name), int64(i)+2
		var first *etcdOperation
		for _, o := range open[key] {
			if w.Deleted && o.revision == 0 && earliest[o] <= revision && o.call < w.end && (first == nil || o.end < first.end) {
				first = o
			}
		}
		if first != nil {
			first.revision, w.by, w.call, w.end = revision, true, first.call, first.end
		}
	}
}

// sweep passes each operation without a revision, in the order of their calls, with the last revision
// that an earlier one had which ended before it.
func (e *etcdRun) sweep(visit func(o *etcdOperation, floor int64)) {
	slices.SortStableFunc(e.operations, func(a, b *etcdOperation) int { return cmp.Compare(a.call, b.call) })
	var running []*etcdOperation
	floor := int64(1)
	for _, o := range e.operations {
		running = slices.DeleteFunc(running, func(other *etcdOperation) bool {
			if other.end < o.call {
				floor = max(floor, other.revision)
			}
			return other.end < o.call
		})
		if o.revision == 0 {
			visit(o, floor)
		}
		running = append(running, o)
	}
}

// place makes an answer a read at the first revision from floor on that it fits.
func (e *etcdRun) place(o *etcdOperation, floor int64) {
	if o.fits == nil {
		return
	}
	o.revision = floor
	kvs := []fields{{"Key": o.key, "Value": value("nothing that was there")}}
	candidates := []int64{floor}
	for _, i := range e.keys[o.key] {
		if int64(i)+2 > floor {
			candidates = append(candidates, int64(i)+2)
		}
	}
	for _, revision := range candidates {
		if state := e.state(o.key, revision); o.fits(state) {
			o.revision, kvs = revision, []fields{}
			if state != nil {
				kvs = append(kvs, e.kv(state))
			}
			break
		}
	}
	o.input, o.output = fields{"Type": "range", "Range": fields{"Start": o.key}}, fields{"Range": fields{"KVs": kvs, "Count": len(kvs)}}
}

// addOthers adds writes that no acknowledged operation stands for, between the times at which the
// writes before and after them, which have their order, must have been made.
func (e *etcdRun) addOthers() {
	earliest := int64(0)
	for i := range e.writes {
		earliest = max(earliest, e.writes[i].call)
		e.writes[i].call = earliest
	}
	latest := e.writes[len(e.writes)-1].end
	for i, w := range slices.Backward(e.writes) {
		latest = min(latest, w.end)
		if !w.by {
			e.add(w.call, latest, int64(i)+2, transaction("", 0, changeOf(w.Write)), succeeded(w.Write))
		}
	}
}
