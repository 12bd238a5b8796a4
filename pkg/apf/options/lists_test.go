package options

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	genericapiserver "k8s.io/apiserver/pkg/server"
	flowcontrolrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
)

// seatsOfAList returns the width of a list of 5,000 objects in the handler chain of a server.
func seatsOfAList(t *testing.T, cost estimate.ListCost, change func(*genericapiserver.Config)) string {
	t.Helper()
	o := NewOptions()
	o.Seats, o.ListCost = 1000, cost
	s, _ := server(t, o, http.NotFoundHandler(), func(c *genericapiserver.Config) {
		c.StorageObjectCountTracker = flowcontrolrequest.NewStorageObjectCountTracker()
		release.SetObjects(c.StorageObjectCountTracker, "things.example.com", 5000, 0)
		if change != nil {
			change(c)
		}
	})
	const path = "/apis/example.com/v1/things"
	s.Handler.NonGoRestfulMux.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(get(t, s.Handler, "/metrics")))
	}))
	seats := regexp.MustCompile(`apiserver_flowcontrol_current_executing_seats\{flow_schema="global-default",priority_level="global-default"\} (\d+)`)
	found := seats.FindStringSubmatch(get(t, s.Handler, path))
	require.Len(t, found, 2)
	return found[1]
}

func TestListsCostWhatTheOptionSaysInEveryHandlerChain(t *testing.T) {
	chains := map[string]func(*genericapiserver.Config){
		"the library's": nil,
		"one of the server's own around the library's": func(c *genericapiserver.Config) {
			c.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
				return genericapiserver.DefaultBuildHandlerChain(http.StripPrefix("", handler), c)
			}
		},
	}
	for name, chain := range chains {
		t.Run(name, func(t *testing.T) {
			// The scrape within the list has a seat too.
			require.Equal(t, "11", seatsOfAList(t, estimate.CostByCount, chain), "a seat for 100 objects, at most 10")
			// The level has 20 of 195 shares of 1,000 seats, and its widest request 15 % of it.
			require.Equal(t, "17", seatsOfAList(t, estimate.CostBySize, chain), "1,500,000 bytes each: as wide as may be")
		})
	}
}
