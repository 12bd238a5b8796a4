package chaos

import (
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAReplyTells(t *testing.T) {
	status := func(reason string) []byte { return []byte(`{"kind":"Status","reason":"` + reason + `"}`) }
	rejected := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, test := range []struct {
		name      string
		reply     Reply
		result    Result
		kind      string
		retriable bool
	}{
		{"no connection", Reply{Err: rejected}, Unknown, "no connection", true},
		{"a connection that ends", Reply{Err: &net.OpError{Op: "read", Err: errors.New("reset")}}, Unknown, "no answer", false},
		{"a server without room", Reply{Code: 429}, Unknown, "code 429", true},
		{"a server that stops", Reply{Code: 503}, Unknown, "code 503", true},
		{"an etcd that does not answer", Reply{Code: 504}, Unknown, "code 504", false},
		{"success", Reply{Code: 201}, Done, "code 201", false},
		{"no object", Reply{Code: 404, Body: status("NotFound")}, Absent, "code 404", false},
		{"an object", Reply{Code: 409, Body: status("AlreadyExists")}, Exists, "code 409", false},
		{"another version", Reply{Code: 409, Body: status("Conflict")}, Conflict, "code 409", false},
		{"another token", Reply{Code: 422, Body: status("Invalid")}, Mismatch, "code 422", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := test.reply.Outcome()
			require.NoError(t, err)
			require.Equal(t, test.result, result)
			require.Equal(t, test.kind, test.reply.Kind())
			require.Equal(t, test.retriable, test.reply.Retriable())
			require.Equal(t, test.result == Unknown, test.reply.Failed())
		})
	}
	for _, reply := range []Reply{{Code: 403, Body: status("Forbidden")}, {Code: 404, Body: []byte("404 page not found")}} {
		_, err := reply.Outcome()
		require.Error(t, err, "none of the requests may get it")
	}
}
