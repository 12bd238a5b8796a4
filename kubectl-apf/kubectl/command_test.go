package kubectl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pods = "/api/v1/namespaces/default/pods"

func TestConditionsOfRequests(t *testing.T) {
	for name, c := range map[string]struct{ args, want []string }{
		"what does not depend on an answer has no condition": {
			[]string{"GET /readyz", "POST " + pods}, []string{"GET /readyz", "POST " + pods},
		},
		"an object is patched or created": {
			[]string{"GET " + pods + "/web", "200:PATCH " + pods + "/web", "404:POST " + pods},
			[]string{"GET " + pods + "/web", "PATCH " + pods + "/web [the object exists]", "POST " + pods + " [the object does not exist]"},
		},
		"a request for each object of a list": {
			[]string{"GET " + pods, "each:DELETE " + pods + "/OBJECT"},
			[]string{"GET " + pods, "DELETE " + pods + "/NAME [for each object in the list]"},
		},
		"a request for one object of a list": {
			[]string{"GET " + pods, "200:DELETE " + pods + "/NAME"},
			[]string{"GET " + pods, "DELETE " + pods + "/NAME [for one object in the list]"},
		},
		"a list in chunks": {
			[]string{"GET " + pods + "?limit=500"}, []string{"GET " + pods + "?limit=500 [again for every further 500 objects]"},
		},
		"the watch cache has no chunks": {
			[]string{"GET " + pods + "?limit=500&resourceVersion=0"}, []string{"GET " + pods + "?limit=500&resourceVersion=0"},
		},
		"polling ends": {
			[]string{"forever:GET " + pods + "/web"}, []string{"GET " + pods + "/web [again until it is done]"},
		},
		"a watch that begins again ends": {
			[]string{"forever:GET " + pods + "?watch=true"}, []string{"GET " + pods + "?watch=true"},
		},
		"an object that was deleted does not exist": {
			[]string{"DELETE " + pods + "/web", "200:GET " + pods + "/web", "404:GET " + pods},
			[]string{"DELETE " + pods + "/web", "GET " + pods + "/web [the object exists]", "GET " + pods},
		},
		"parameters that differ between runs are left out": {
			[]string{"GET /api?timeout=32s", "GET " + pods + "?resourceVersion=1&timeoutSeconds=5&watch=true"},
			[]string{"GET /api", "GET " + pods + "?watch=true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, lines(t, command(t, c.args...)))
		})
	}
}

func TestARejectedCommandIsAnError(t *testing.T) {
	_, err := command(t, "GET /version", "GET /api", "fail:error: unknown flag").Requests(t.Context())
	require.EqualError(t, err, "kubectl rejects the command: error: unknown flag")
	c := command(t)
	c.Program = "/none/kubectl"
	_, err = c.Requests(t.Context())
	require.ErrorContains(t, err, "running kubectl")
}

func TestACommandThatFailsLateHasAComplaint(t *testing.T) {
	requests, err := command(t, "GET "+pods+"/web", "fail:error: no editor").Requests(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "error: no editor", requests.Complaint)
	assert.Len(t, requests.Sent, 1)
}
