package apf_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// A program that is no API server reads the configuration from a file, and tells the
// filter for each request who asks and for what.
func ExampleFlowControl_Apply() {
	flowControl, err := apf.New(apf.Config{Total: 100})
	if err != nil {
		panic(err)
	}
	levels, schemas, err := readManifests("testdata/shut-out.yaml")
	if err != nil {
		panic(err)
	}
	for _, problem := range flowControl.Apply(levels, schemas) {
		fmt.Println(problem.Kind, problem.Name, problem.Err)
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() { stopped <- flowControl.Run(stop) }() // divides the seats by demand

	hello := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	paths := http.NewServeMux()
	paths.Handle("/", identify(flowControl.Filter(apf.FilterOptions{}).Handler(hello)))
	paths.Handle("/metrics", promhttp.HandlerFor(flowControl.Registry(), promhttp.HandlerOpts{}))
	debug := mux.NewPathRecorderMux("debug")
	flowControl.Install(debug)
	paths.Handle("/debug/api_priority_and_fairness/", debug)

	askAs(paths, "alice", "runaway") // in production: http.ListenAndServe(address, paths)
	printMetrics(paths, "apiserver_flowcontrol_rejected_requests_total")
	close(stop)
	if err := <-stopped; err != nil {
		panic(err)
	}

	// Output:
	// alice 200 OK
	// runaway 429 Too Many Requests
	// apiserver_flowcontrol_rejected_requests_total{flow_schema="shut-out",priority_level="shut-out",reason="concurrency-limit"} 1
}

// identify tells the filter behind it who asks, and for what. A flow schema matches such
// requests by verb and path (nonResourceRules).
func identify(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := r.BasicAuth()
		ctx := request.WithRequestInfo(r.Context(), &request.RequestInfo{Verb: strings.ToLower(r.Method), Path: r.URL.Path})
		ctx = request.WithUser(ctx, &user.DefaultInfo{Name: name, Groups: []string{user.AllAuthenticated}})
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// readManifests reads priority levels and flow schemas from a file of YAML documents.
func readManifests(name string) (levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema, err error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return levels, schemas, nil
		}
		if err != nil {
			return nil, nil, err
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return nil, nil, err
		}
		switch object := object.(type) {
		case *flowcontrolv1.PriorityLevelConfiguration:
			levels = append(levels, object)
		case *flowcontrolv1.FlowSchema:
			schemas = append(schemas, object)
		}
	}
}
