package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// managers is the number of field managers of the one object.
	managers      = 50
	writesInRound = 50
	managed       = "bench-managed"
	applyPatch    = "application/apply-patch+yaml"
	mergePatch    = "application/merge-patch+json"
)

func applyTasks() []task {
	everybody := func(ctx context.Context, c *client) error {
		for manager := range managers {
			if _, err := c.applyAs(ctx, manager, "first"); err != nil {
				return err
			}
		}
		return nil
	}
	return []task{
		{
			name: "apply that changes a label", count: writesInRound, prepare: everybody,
			do: func(ctx context.Context, c *client, n int) (float64, error) {
				return c.applyAs(ctx, n%managers, fmt.Sprintf("value-%d", n))
			},
		},
		{
			name: "apply that changes nothing", count: writesInRound, prepare: everybody,
			do: func(ctx context.Context, c *client, n int) (float64, error) {
				return c.applyAs(ctx, n%managers, "first")
			},
		},
	}
}

// applyAs applies the manager's label with this value and returns the seconds
// that it took.
func (c *client) applyAs(ctx context.Context, manager int, value string) (float64, error) {
	return c.write(ctx, traffic.Request{
		Method: http.MethodPatch, Header: contentType(applyPatch),
		Path: fmt.Sprintf("%s/%s?fieldManager=manager-%d", collection, managed, manager),
		Body: flowSchema(managed, fmt.Sprintf("manager-%d", manager), value, 8000),
	})
}

func writeTasks() []task {
	name := func(of string, n int) string { return fmt.Sprintf("bench-%s-%d", of, n) }
	precedence := func(n int) int { return 1000 + n%7000 }
	return []task{
		{name: "create", count: writesInRound, do: func(ctx context.Context, c *client, n int) (float64, error) {
			return c.write(ctx, traffic.Request{Method: http.MethodPost, Path: collection, Body: flowSchema(name("created", n), "bench", "many", 9000)})
		}},
		{name: "merge patch", count: writesInRound, do: func(ctx context.Context, c *client, n int) (float64, error) {
			return c.write(ctx, traffic.Request{
				Method: http.MethodPatch, Header: contentType(mergePatch), Path: collection + "/" + traffic.NameOfFilled(0),
				Body: fmt.Sprintf(`{"spec":{"matchingPrecedence":%d}}`, precedence(n)),
			})
		}},
		{name: "apply of a new one", count: writesInRound, do: func(ctx context.Context, c *client, n int) (float64, error) {
			return c.write(ctx, traffic.Request{
				Method: http.MethodPatch, Header: contentType(applyPatch), Path: collection + "/" + name("applied", n) + "?fieldManager=bench",
				Body: flowSchema(name("applied", n), "bench", "many", 9000),
			})
		}},
	}
}

func contentType(name string) map[string]string { return map[string]string{"Content-Type": name} }

// write returns the seconds that a write took.
func (c *client) write(ctx context.Context, r traffic.Request) (float64, error) {
	begin := time.Now()
	err := c.drain(ctx, r)
	return time.Since(begin).Seconds(), err
}
