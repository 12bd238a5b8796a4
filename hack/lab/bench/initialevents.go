package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func watchTasks() (tasks []task) {
	for _, form := range []form{
		{"JSON", "application/json"},
		{"protobuf", "application/vnd.kubernetes.protobuf;stream=watch"},
	} {
		tasks = append(tasks, task{
			name: "watch, " + form.name, count: listsInRound,
			do: func(ctx context.Context, c *client, _ int) (float64, error) { return c.initialEvents(ctx, form) },
		})
	}
	return tasks
}

// initialEvents returns the seconds until a watch has sent all existing
// objects.
func (c *client) initialEvents(ctx context.Context, form form) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, deliveryGrace)
	defer cancel()
	const query = "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
	begin := time.Now()
	response, err := c.send(ctx, form.get(query))
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	err = readUntil(response.Body, []byte(metav1.InitialEventsAnnotationKey))
	return time.Since(begin).Seconds(), err
}

// readUntil reads a stream up to and including the first block that contains
// the mark.
func readUntil(stream io.Reader, mark []byte) error {
	block := make([]byte, 64<<10)
	kept := 0 // bytes of earlier blocks that may hold the start of the mark
	for {
		n, err := stream.Read(block[kept:])
		all := block[:kept+n]
		if bytes.Contains(all, mark) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the stream ended before %q", mark)
		}
		if err != nil {
			return fmt.Errorf("waiting for %q: %w", mark, err)
		}
		kept = copy(block, all[max(0, len(all)-len(mark)+1):])
	}
}
