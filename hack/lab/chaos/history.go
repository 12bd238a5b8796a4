package chaos

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
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
// The error describes where a history that is not linearizable is stuck; a page
// that visualizes it is written to the folder. An object that could not be checked
// in time is undecided, which is not an error.
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
			return undecided, fmt.Errorf("the history of %s is not linearizable; page: %s\n%s", name, page, stuck(part, info))
		}
	}
	return undecided, nil
}

// shownOperations is the number of operations to show on each side of the error.
const shownOperations = 12

// stuck shows the end of the longest linearizable prefix, and the operations that
// cannot follow it.
func stuck(part []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, linearizations := range info.PartialLinearizationsOperations() {
		for _, linearization := range linearizations {
			if len(linearization) > len(longest) {
				longest = linearization
			}
		}
	}
	fit := map[Input][]int64{}
	for _, operation := range longest {
		input := operation.Input.(Input)
		fit[input] = append(fit[input], operation.Call)
	}
	rest := slices.DeleteFunc(slices.Clone(part), func(operation porcupine.Operation) bool {
		return slices.Contains(fit[operation.Input.(Input)], operation.Call)
	})
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var text strings.Builder
	fmt.Fprintf(&text, "%d operations fit in this order, the last of them:\n", len(longest))
	show(&text, longest[max(0, len(longest)-shownOperations):])
	fmt.Fprintf(&text, "and none of these next:\n")
	show(&text, rest[:min(shownOperations, len(rest))])
	return text.String()
}

func show(text *strings.Builder, operations []porcupine.Operation) {
	for _, operation := range operations {
		ended := "open"
		if operation.Return != math.MaxInt64 {
			ended = time.Duration(operation.Return).Round(time.Microsecond).String()
		}
		fmt.Fprintf(text, "  client %d, %v to %s: %v -> %v\n", operation.ClientId,
			time.Duration(operation.Call).Round(time.Microsecond), ended, operation.Input, operation.Output)
	}
}
