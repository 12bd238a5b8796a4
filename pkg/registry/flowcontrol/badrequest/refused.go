package badrequest

import (
	"context"
	"net/http"
)

// refused returns a request to which the API itself answers with fault, so that
// the answer has the warnings, metrics and audit annotations of its route. A write
// fails when its body is read, which is before its options are looked at; a list
// when its objects are, see List.
func refused(r *http.Request, verb string, fault error) *http.Request {
	if verb != "list" {
		return withBody(r, unreadable{fault})
	}
	changed := r.Clone(context.WithValue(r.Context(), listFault{}, fault))
	query := changed.URL.Query()
	query.Del("resourceVersionMatch") // to which the library would answer
	changed.URL.RawQuery = query.Encode()
	return changed
}

// List returns what is wrong with the options of the list whose context ctx is,
// nil if nothing is.
func List(ctx context.Context) error {
	fault, _ := ctx.Value(listFault{}).(error) // absent: nothing is
	return fault
}

// listFault is the key of the fault of a list in its context.
type listFault struct{}

// unreadable is a body that cannot be read for a reason.
type unreadable struct{ reason error }

// Read implements io.Reader.
func (u unreadable) Read([]byte) (int, error) { return 0, u.reason }
