package chaos

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// line is a sequence of operations.
type line struct{ operations []porcupine.Operation }

// then adds an operation that starts after all earlier ones have ended.
func (l line) then(input Input, output Output) line {
	at := int64(10 * (len(l.operations) + 1))
	input.Name = "object"
	l.operations = append(l.operations, porcupine.Operation{Input: input, Output: output, Call: at, Return: at + 1})
	return l
}

// lost adds an operation whose answer is lost.
func (l line) lost(input Input) line {
	l = l.then(input, Output{Result: Unknown})
	l.operations[len(l.operations)-1].Return = math.MaxInt64
	return l
}

// during adds an operation that overlaps all earlier ones.
func (l line) during(input Input, output Output) line {
	l = l.then(input, output)
	l.operations[len(l.operations)-1].Call = 1
	return l
}

func answered(token, version int64) Output {
	return Output{Result: Done, Token: token, Version: version, UID: "u"}
}

func only(result Result) Output { return Output{Result: result} }

func created() line { return line{}.then(Input{Verb: Create, Token: 1}, answered(1, 5)) }

func requireVerdict(t *testing.T, history line, legal bool) {
	t.Helper()
	undecided, err := CheckOperations(history.operations, time.Minute, t.TempDir())
	require.Empty(t, undecided)
	require.Equal(t, legal, err == nil, "%v", err)
}

func TestModelTellsRightFromWrong(t *testing.T) {
	read, deletion := Input{Verb: Read}, Input{Verb: Delete}
	update := func(token int64) Input { return Input{Verb: Update, Token: token} }
	swap := func(token, version int64) Input { return Input{Verb: Update, Token: token, Version: version} }
	for _, test := range []struct {
		name    string
		history line
		legal   bool
	}{
		{"a life", created().then(read, answered(1, 5)).then(swap(2, 5), answered(2, 6)).then(deletion, only(Done)).then(read, only(Absent)), true},
		{"a second life", created().then(deletion, only(Done)).then(Input{Verb: Create, Token: 2}, Output{Done, 2, 8, "v"}), true},
		{"errors of what is absent", line{}.then(update(1), only(Absent)).then(Input{Verb: Patch, Token: 2}, only(Absent)).then(deletion, only(Absent)).then(read, only(Absent)), true},
		{"an update of an object of that uid, which is gone", line{}.then(Input{Verb: Update, Token: 1, Version: 5}, only(Absent)).then(Input{Verb: Update, Token: 2, UID: "u"}, only(Conflict)), true},
		{"errors of what is there", created().then(Input{Verb: Create, Token: 2}, only(Exists)).then(swap(3, 4), only(Conflict)).
			then(Input{Verb: Patch, Token: 4, Was: 9}, only(Mismatch)).then(Input{Verb: Delete, UID: "other"}, only(Conflict)).then(read, answered(1, 5)), true},
		{"concurrent writers", created().then(update(2), answered(2, 6)).during(update(3), answered(3, 7)).then(read, answered(3, 7)), true},
		{"a read during a write, before it", created().then(update(2), answered(2, 6)).during(read, answered(1, 5)), true},

		{"a stale read", created().then(update(2), answered(2, 6)).then(read, answered(1, 5)), false},
		{"a read of what is deleted", created().then(deletion, only(Done)).then(read, answered(1, 5)), false},
		{"a read of what was never written", created().then(read, answered(2, 6)), false},
		{"a read of nothing while there is something", created().then(read, only(Absent)), false},
		{"a lost update", created().then(swap(2, 5), answered(2, 6)).then(swap(3, 5), answered(3, 7)), false},
		{"two concurrent updates of one version", line{created().then(swap(2, 5), answered(2, 6)).during(swap(3, 5), answered(3, 7)).operations}, false},
		{"an update that is undone", created().then(update(2), answered(2, 6)).then(update(3), answered(3, 7)).then(read, answered(2, 6)), false},
		{"a double creation", created().then(Input{Verb: Create, Token: 2}, answered(2, 6)), false},
		{"a creation rejected where nothing is", line{}.then(Input{Verb: Create, Token: 1}, only(Exists)), false},
		{"a double deletion", created().then(deletion, only(Done)).then(deletion, only(Done)), false},
		{"a deletion against its precondition", created().then(Input{Verb: Delete, Version: 4}, only(Done)), false},
		{"a conflict without a reason", created().then(update(2), only(Conflict)), false},
		{"a conflict that was none", created().then(swap(2, 5), only(Conflict)), false},
		{"a patch against its test", created().then(Input{Verb: Patch, Token: 2, Was: 3}, answered(2, 6)), false},
		{"a version that falls", created().then(update(2), answered(2, 4)), false},
		{"a version that stands still", created().then(update(2), answered(2, 5)), false},
		{"a version that falls in a second life", created().then(deletion, only(Done)).then(Input{Verb: Create, Token: 2}, Output{Done, 2, 5, "v"}), false},
		{"a uid that changes", created().then(update(2), Output{Done, 2, 6, "v"}), false},
		{"another version of the same write", created().then(read, answered(1, 6)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireVerdict(t, test.history, test.legal)
		})
	}
}

func TestModelKnowsOwners(t *testing.T) {
	apply := func(token int64, manager string, force bool) Input {
		return Input{Verb: Apply, Token: token, Manager: manager, Force: force}
	}
	first := line{}.then(apply(1, "m", false), answered(1, 5))
	for _, test := range []struct {
		name    string
		history line
		legal   bool
	}{
		{"apply creates and changes its own", first.then(apply(2, "m", false), answered(2, 6)), true},
		{"apply conflicts with another and is forced", first.then(apply(2, "n", false), only(Conflict)).then(apply(3, "n", true), answered(3, 6)).then(apply(4, "m", false), only(Conflict)), true},
		{"an update takes over", first.then(Input{Verb: Update, Token: 2}, answered(2, 6)).then(apply(3, "m", false), only(Conflict)), true},
		{"apply takes what another owns", first.then(apply(2, "n", false), answered(2, 6)), false},
		{"apply is rejected its own", first.then(apply(2, "m", false), only(Conflict)), false},
		{"force is rejected", first.then(apply(2, "n", true), only(Conflict)), false},
		{"apply does not create", line{}.then(apply(1, "m", false), only(Absent)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireVerdict(t, test.history, test.legal)
		})
	}
}

func TestLostAnswersLeaveOpenWhatHappened(t *testing.T) {
	read, update := Input{Verb: Read}, Input{Verb: Update, Token: 2}
	for _, test := range []struct {
		name    string
		history line
		legal   bool
	}{
		{"it happened", created().lost(update).then(read, answered(2, 6)), true},
		{"it did not happen", created().lost(update).then(read, answered(1, 5)), true},
		{"it happens later", created().lost(update).then(read, answered(1, 5)).then(read, answered(2, 6)), true},
		{"it was rejected", created().lost(Input{Verb: Update, Token: 2, Version: 4}).then(read, answered(1, 5)), true},
		{"a creation that nobody saw is deleted", line{}.lost(Input{Verb: Create, Token: 1}).then(Input{Verb: Delete}, only(Done)), true},
		{"it did not happen before its request", created().then(read, answered(2, 6)).lost(update), false},
		{"it happens and is undone", created().lost(update).then(read, answered(2, 6)).then(read, answered(1, 5)), false},
		{"it happens twice", created().lost(update).then(read, answered(2, 6)).then(Input{Verb: Patch, Token: 3}, answered(3, 7)).then(read, answered(2, 8)), false},
		{"it happens against its precondition", created().lost(Input{Verb: Update, Token: 2, Version: 4}).then(read, answered(2, 6)), false},
		{"its version falls", created().lost(update).then(read, answered(2, 4)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireVerdict(t, test.history, test.legal)
		})
	}
}

func TestFaultIsShown(t *testing.T) {
	history := created().then(Input{Verb: Update, Token: 2}, answered(2, 6)).then(Input{Verb: Read}, answered(1, 5))
	folder := t.TempDir()
	undecided, err := CheckOperations(history.operations, time.Minute, folder)
	require.Empty(t, undecided)
	require.ErrorContains(t, err, "object is not linearizable")
	page, err := os.ReadFile(folder + "/object.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "update object token 2")
}

// TestHistoryThatTakesTooLongIsUndecided has many writes that may have happened in
// any order, or not at all. They cannot be checked in a short time.
func TestHistoryThatTakesTooLongIsUndecided(t *testing.T) {
	history := created()
	for token := range int64(40) {
		history = history.lost(Input{Verb: Update, Token: token + 2})
	}
	history = history.then(Input{Verb: Read}, answered(99, 99))
	other := porcupine.Operation{Input: Input{Verb: Read, Name: "other"}, Output: only(Absent), Call: 1, Return: 2}
	undecided, err := CheckOperations(append(history.operations, other), 50*time.Millisecond, t.TempDir())
	require.NoError(t, err)
	require.Equal(t, []string{"object"}, undecided)
}

func TestHistoryKeepsWhatMayHaveHappened(t *testing.T) {
	history := NewHistory()
	call := history.Now()
	write, read := Input{Verb: Create, Name: "a", Token: 1}, Input{Verb: Read, Name: "a"}
	history.Add(0, call, map[Input]Output{write: only(Unknown)})
	history.Add(0, call, map[Input]Output{read: only(Unknown)})
	history.Add(1, call, map[Input]Output{read: only(Absent), {Verb: Read, Name: "b"}: only(Absent)})
	operations := history.Operations()
	require.Len(t, operations, 3, "a read without an answer tells nothing")
	require.EqualValues(t, math.MaxInt64, operations[0].Return)
	require.GreaterOrEqual(t, operations[1].Return, call)
	require.Len(t, byName(operations), 2)
}
