package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

func TestSeatsAreThoseOfTheRelease(t *testing.T) {
	for name, c := range map[string]struct {
		line    string
		release configuration.Release
		own     bool
		width   int
		method  string
		why     string
	}{
		"a get": {"get pods web", "1.33", false, 1, "one", "A get takes one seat."},
		"a list by objects": {
			"list secrets -A", "1.33", false, 8, "objects",
			"The watch cache serves the list. It examines all 10,000 objects that are stored, in all namespaces, whatever the limit. 100 objects take a seat. That is 100 seats, and at most 8 seats are allowed here.",
		},
		"a page by objects": {
			"list secrets -A --limit=100 --continue=x", "1.33", false, 2, "objects",
			"Etcd serves the list. Of 10,000 objects that are stored it reads and writes a page: 200 objects. 100 objects take a seat. That is 2 seats.",
		},
		"a list by bytes": {
			"list secrets -A", "1.34", false, 8, "bytes",
			"The watch cache serves the list. 10,000 of 10,000 objects that are stored count, of 2,000 bytes on average: 1,000,000 bytes. A list from the watch cache counts at most 1,000,000 bytes. 100,000 bytes take a seat. That is 10 seats, and at most 8 seats are allowed here.",
		},
		"a page by bytes": {
			"list secrets -A --limit=100", "1.34", false, 2, "bytes",
			"The watch cache serves the list. 100 of 10,000 objects that are stored count, of 2,000 bytes on average: 200,000 bytes. 100,000 bytes take a seat. That is 2 seats.",
		},
		"a list of one name":                 {"list secrets a", "1.33", false, 1, "one", "A request that names one object takes one seat."},
		"a watch before 1.34":                {"watch secrets -A", "1.33", false, 1, "one", "A watch takes one seat until it has started, then none."},
		"a watch of 1.36":                    {"watch secrets -A", "1.36", false, 8, "bytes", "The watch begins with a list"},
		"a watch of 1.36 without a list":     {"watch secrets -A --resource-version=5", "1.36", false, 1, "one", "The watch sends no initial events."},
		"a watch on this server":             {"watch secrets -A", "1.33", true, 8, "bytes", "The watch begins with a list"},
		"a resource of another server":       {"list pods.metrics.k8s.io -A", "1.36", false, 1, "one", "does not store"},
		"a write that few watch":             {"update secrets a", "1.33", false, 1, "watchers", "It notifies at most 5 watchers; fewer than 10 are neglected."},
		"a write that many watch":            {"update pods web", "1.33", false, 8, "watchers", "Then it notifies at most 120 watchers, which takes a tenth of a seat for 5 ms each: 8 seats for 7.5ms."},
		"a deletion of a collection":         {"deletecollection pods", "1.33", false, 1, "one", "A deletecollection takes one seat."},
		"a level without a bound of its own": {"list secrets -A --as=root --as-group=system:masters", "1.33", false, 10, "objects", "at most 10 seats"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			in.Configuration.Release, in.Configuration.Own = c.release, c.own
			s := explained(t, in, c.line).Seats
			assert.Equal(t, c.width, s.Width, s.Why)
			assert.Equal(t, c.width, s.AtMost)
			assert.Equal(t, c.method, s.Method)
			assert.Contains(t, s.Why, c.why)
		})
	}
}

func TestSeatsAfterTheResponseAreShown(t *testing.T) {
	assert.Equal(t, "1, then 8 for 7.5ms after the response", explained(t, input(), "update pods web").Seats.text())
	assert.Equal(t, "1", explained(t, input(), "update secrets a").Seats.text())
}

func TestSeatsThatAreNotKnownHaveARange(t *testing.T) {
	in := input()
	in.Facts = nil
	a := explained(t, in, "list secrets -A")
	assert.Equal(t, 1, a.Seats.Width)
	assert.Equal(t, 8, a.Seats.AtMost)
	assert.Contains(t, a.Notes, "The number of seats is not known exactly: 1 to 8.")
	a = explained(t, in, "update secrets a")
	assert.Equal(t, 8, a.Seats.AtMost)
	assert.Equal(t, 10, explained(t, in, "update secrets a --as=system:serviceaccount:ci:sa").Seats.AtMost, "the level allows more")
	assert.Equal(t, 1, explained(t, in, "get secrets a").Seats.AtMost)
	assert.Equal(t, 1, explained(t, in, "create tokenreviews.authentication.k8s.io").Seats.AtMost, "reviews cannot be watched")
	assert.Equal(t, 1, explained(t, in, "create localsubjectaccessreviews -n shop").Seats.AtMost)

	in.Configuration.Release = ""
	a = explained(t, in, "list secrets -A")
	assert.Equal(t, "Kubernetes 1.37", a.Seats.Estimator)
	assert.Contains(t, a.Notes[0], "release of the API server is not known")
}

func TestLearnedCostIsNotPredicted(t *testing.T) {
	const note = "This server learns what lists cost (--list-cost): these are the seats of a list of a kind that it has not measured."
	in := input()
	in.Configuration.Own = true
	a := explained(t, in, "list secrets -A --limit=100")
	assert.Equal(t, 2, a.Seats.Width, "the formula")
	assert.Contains(t, a.Notes, note)
	assert.NotContains(t, explained(t, in, "get secrets a").Notes, note)
	in.Facts = Facts{{Resource: "secrets"}: {Objects: 100}}
	a = explained(t, in, "list secrets -A")
	assert.Equal(t, 1, a.Seats.Width)
	assert.Equal(t, 8, a.Seats.AtMost)
	assert.Contains(t, a.Seats.Why, "The average size of the stored objects is known to the server alone. The list takes 1 to 8 seats.")
	in.Configuration.Own = false
	assert.NotContains(t, explained(t, in, "list secrets -A").Notes, note)
}

func TestFactsAreThoseOfTheAPIServerThatTellsMost(t *testing.T) {
	pods, secrets := schema.GroupResource{Resource: "pods"}, schema.GroupResource{Resource: "secrets"}
	in := input()
	in.Facts, in.Configuration.Release = nil, "1.36"
	in.Replicas = []replica.Replica{
		{Name: "a", Metrics: replica.Metrics{
			Objects: map[schema.GroupResource]int64{pods: 10, secrets: 100}, Bytes: map[schema.GroupResource]int64{pods: 10_000, secrets: 200_000},
			Watches: map[schema.GroupResource]int64{pods: 5},
		}},
		{Name: "b", Metrics: replica.Metrics{Objects: map[schema.GroupResource]int64{pods: 12}, Watches: map[schema.GroupResource]int64{pods: 25}}},
		{Name: "c", Away: true},
	}
	s := explained(t, in, "list secrets -A").Seats
	assert.Equal(t, 2, s.Width)
	assert.Equal(t, int64(200_000), s.StoredBytes)
	a := explained(t, in, "update pods web")
	assert.Equal(t, 25, a.Seats.Watchers)
	assert.Equal(t, "The API server cannot be reached.", a.Replicas[2].Outcome.Why)
	assert.Equal(t, 1, explained(t, in, "list widgets.example.com -A").Seats.AtMost, "no API server stores it")
	in.Facts = Facts{secrets: {Objects: 100, Bytes: 500_000}}
	assert.Equal(t, 5, explained(t, in, "list secrets -A").Seats.Width)
}
