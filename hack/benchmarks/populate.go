package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"
)

// populate creates FlowSchemas until there are as many as population says.
func populate(ctx context.Context, clients []*client) error {
	present, err := countObjects(ctx, clients[0])
	if err != nil {
		return err
	}
	group, groupContext := errgroup.WithContext(ctx)
	missing := population - present
	for i, c := range clients {
		group.Go(func() error {
			for n := i; n < missing; n += len(clients) {
				if err := c.do(groupContext, http.MethodPost, collection, flowSchema(heldName(n), "held", 9000)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	present, err = countObjects(ctx, clients[0])
	if err == nil && present != population {
		err = fmt.Errorf("there are %d FlowSchemas; %d were to be there", present, population)
	}
	return err
}

func countObjects(ctx context.Context, c *client) (int, error) {
	body, err := c.open(ctx, http.MethodGet, collection, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	var list struct{ Items []json.RawMessage }
	if err := json.NewDecoder(body).Decode(&list); err != nil {
		return 0, fmt.Errorf("reading the list of FlowSchemas: %w", err)
	}
	return len(list.Items), nil
}
