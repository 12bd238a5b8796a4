package chaos

import "fmt"

// Verb is the kind of an operation.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	Patch  Verb = "patch"
	Apply  Verb = "apply"
	Delete Verb = "delete"
	Read   Verb = "read"
)

// Input is a request.
type Input struct {
	Verb Verb
	// Name is the name of the object.
	Name string
	// Token is the value to write, unique and not 0.
	Token int64
	// Version and UID are preconditions, if set.
	Version int64
	UID     string
	// Was is the token that a patch requires, if set.
	Was int64
	// Manager is the field manager of an apply. Force makes it the owner.
	Manager string
	Force   bool
}

func (i Input) String() string {
	text := fmt.Sprintf("%s %s", i.Verb, i.Name)
	if i.Token != 0 {
		text += fmt.Sprintf(" token %d", i.Token)
	}
	if i.Manager != "" {
		text += " by " + i.Manager
	}
	if i.Force {
		text += " by force"
	}
	if i.Version != 0 {
		text += fmt.Sprintf(" if version %d", i.Version)
	}
	if i.UID != "" {
		text += fmt.Sprintf(" if uid %.8s", i.UID)
	}
	if i.Was != 0 {
		text += fmt.Sprintf(" if token %d", i.Was)
	}
	return text
}

// Result is the result of an operation.
type Result string

// The results of operations.
const (
	// Done means success.
	Done Result = "done"
	// Absent means 404 NotFound.
	Absent Result = "absent"
	// Exists means 409 AlreadyExists.
	Exists Result = "exists"
	// Conflict means 409 Conflict.
	Conflict Result = "conflict"
	// Mismatch means 422 Invalid, for a patch whose test failed.
	Mismatch Result = "mismatch"
	// Unknown means no answer, or one that does not show whether the operation
	// happened.
	Unknown Result = "unknown"
)

// Output is an answer.
type Output struct {
	Result Result
	// Token, Version and UID describe the object in the answer, if it has one.
	Token   int64
	Version int64
	UID     string
}

func (o Output) String() string {
	if o.Token == 0 {
		return string(o.Result)
	}
	return fmt.Sprintf("%s: token %d, version %d, uid %.8s", o.Result, o.Token, o.Version, o.UID)
}
