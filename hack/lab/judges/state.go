package judges

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// fetch returns the body of an answer to the administrator.
func (s *Server) fetch(ctx context.Context, path string) ([]byte, error) {
	return s.manage(ctx, traffic.Request{Path: path})
}

// manage sends a request of the administrator.
func (s *Server) manage(ctx context.Context, what traffic.Request) ([]byte, error) {
	status, _, body, err := s.target.Do(ctx, traffic.User{Token: admin}, what)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: %d: %s", cmp.Or(what.Method, http.MethodGet), what.Path, status, body)
	}
	return body, err
}

func (s *Server) metrics(ctx context.Context) (scrape.Scrape, error) {
	text, err := s.fetch(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	return scrape.Parse(string(text), "")
}

// watches returns the number of open watches of flow schemas.
func (s *Server) watches(ctx context.Context) (int, error) {
	values, err := s.metrics(ctx)
	return int(values.Sum("apiserver_longrunning_requests", `verb="WATCH"`, `resource="flowschemas"`)), err
}

// stored returns the generations of the objects by name.
func (s *Server) stored(ctx context.Context) (map[string]int64, error) {
	generations := map[string]int64{}
	for _, path := range []string{schemas, levels} {
		body, err := s.fetch(ctx, path)
		if err != nil {
			return nil, err
		}
		var list struct {
			Items []struct {
				Metadata struct {
					Name       string `json:"name"`
					Generation int64  `json:"generation"`
				} `json:"metadata"`
			} `json:"items"`
		}
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, fmt.Errorf("GET %s: %w", path, err)
		}
		for _, item := range list.Items {
			generations[path+"/"+item.Metadata.Name] = item.Metadata.Generation
		}
	}
	return generations, nil
}
