package chaos

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// History records operations. It is safe for concurrent use.
type History struct {
	began      time.Time
	mutex      sync.Mutex
	operations []porcupine.Operation // guarded by mutex
}

// NewHistory returns an empty history that starts now.
func NewHistory() *History { return &History{began: time.Now()} }

// Now returns the time since the start of the history in nanoseconds, for Add.
func (h *History) Now() int64 { return time.Since(h.began).Nanoseconds() }

// Add records operations that a client started at call and that end now. It omits
// a read without an answer. Another operation without an answer is recorded as not
// ended.
func (h *History) Add(client int, call int64, output map[Input]Output) {
	ended := h.Now()
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for in, out := range output {
		operation := porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: ended}
		if out.Result == Unknown {
			if in.Verb == Read {
				continue
			}
			operation.Return = math.MaxInt64
		}
		h.operations = append(h.operations, operation)
	}
}

// Operations returns the recorded operations.
func (h *History) Operations() []porcupine.Operation {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.operations)
}

// CheckOperations checks each object's history with the model, for at most patience each.
// The error names the page in the folder that shows where a history that is not linearizable is
// stuck. An object that could not be checked in time is undecided, which is not an error.
func CheckOperations(operations []porcupine.Operation, patience time.Duration, folder string) (undecided []string, err error) {
	for _, part := range byName(operations) {
		name := part[0].Input.(Input).Name
		result, info := porcupine.CheckOperationsVerbose(Model(), part, patience)
		switch result {
		case porcupine.Ok:
		case porcupine.Unknown:
			undecided = append(undecided, name)
		default:
			page := filepath.Join(folder, name+".html")
			if err := porcupine.VisualizePath(Model(), info, page); err != nil {
				page = err.Error()
			}
			return undecided, fmt.Errorf("the history of %s is not linearizable; page: %s", name, page)
		}
	}
	return undecided, nil
}
