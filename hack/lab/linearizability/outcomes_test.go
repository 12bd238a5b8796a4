package linearizability_test

import (
	"fmt"
	"slices"
	"sync"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability"
)

// outcome is a kind of operation with its result.
type outcome struct {
	kind   linearizability.Kind
	result linearizability.Result
}

// wanted returns the outcomes that a meaningful run needs: success and errors of
// each kind of operation.
func wanted() []outcome {
	var all []outcome
	for kind, results := range map[linearizability.Kind][]linearizability.Result{
		linearizability.Create: {linearizability.Done, linearizability.Exists},
		linearizability.Update: {linearizability.Done, linearizability.Absent, linearizability.Conflict},
		linearizability.Patch:  {linearizability.Done, linearizability.Absent, linearizability.Conflict, linearizability.Mismatch},
		linearizability.Apply:  {linearizability.Done, linearizability.Conflict},
		linearizability.Delete: {linearizability.Done, linearizability.Absent, linearizability.Conflict},
		linearizability.Read:   {linearizability.Done, linearizability.Absent},
	} {
		for _, result := range results {
			all = append(all, outcome{kind, result})
		}
	}
	return all
}

// outcomes counts outcomes.
type outcomes struct {
	mutex  sync.Mutex
	counts map[outcome]int // guarded by mutex
}

func (o *outcomes) add(kind linearizability.Kind, result linearizability.Result) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.counts == nil {
		o.counts = map[outcome]int{}
	}
	o.counts[outcome{kind, result}]++
}

// missing returns the wanted outcomes that have not occurred.
func (o *outcomes) missing() []outcome {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return slices.DeleteFunc(wanted(), func(wanted outcome) bool { return o.counts[wanted] > 0 })
}

func (o *outcomes) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return fmt.Sprint(o.counts)
}
