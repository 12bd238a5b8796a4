package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const listsInRound = 3

// form is a representation of a list, selected by an Accept header.
type form struct{ name, accept string }

// get asks for FlowSchemas in this form, without compression, which net/http requests by default.
func (f form) get(query string) traffic.Request {
	return traffic.Request{Path: collection + query, Header: map[string]string{"Accept": f.accept, "Accept-Encoding": "identity"}}
}

func forms() []form {
	return []form{
		{"JSON", runtime.ContentTypeJSON},
		{"protobuf", runtime.ContentTypeProtobuf},
		{"Table", "application/json;as=Table;v=v1;g=meta.k8s.io"},
	}
}

func listTasks() (tasks []task) {
	for _, form := range forms() {
		for _, kind := range []struct{ name, query string }{
			{"from cache", "resourceVersion=0"},
			{"most recent", ""},
		} {
			tasks = append(tasks, task{
				name: fmt.Sprintf("list, %s, %s", form.name, kind.name), count: listsInRound,
				do: func(ctx context.Context, c *client, _ int) (float64, error) { return c.list(ctx, form, kind.query) },
			})
		}
		tasks = append(tasks, exactTask(form))
	}
	return tasks
}

// exactTask lists at the resource version of the preceding list.
func exactTask(form form) task {
	return task{
		name: fmt.Sprintf("list, %s, exact", form.name), count: listsInRound,
		do: func(ctx context.Context, c *client, _ int) (float64, error) {
			response, err := c.send(ctx, forms()[0].get("?limit=1"))
			if err != nil {
				return 0, err
			}
			defer func() { _ = response.Body.Close() }()
			var first metav1.PartialObjectMetadataList
			if err := json.NewDecoder(response.Body).Decode(&first); err != nil {
				return 0, fmt.Errorf("reading a list: %w", err)
			}
			return c.list(ctx, form, "resourceVersionMatch=Exact&resourceVersion="+first.ResourceVersion)
		},
	}
}

// list returns the seconds of one list.
func (c *client) list(ctx context.Context, form form, query string) (float64, error) {
	begin := time.Now()
	err := c.drain(ctx, form.get("?"+query))
	return time.Since(begin).Seconds(), err
}
