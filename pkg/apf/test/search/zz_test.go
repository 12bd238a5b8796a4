package search

import (
	"testing"
	"fmt"
)

func TestZZ(t *testing.T) {
	s, err := Parse(*scenario)
	if err != nil { t.Fatal(err) }
	h := Run(&s, Engine)
	for i := range h.Events {
		e := &h.Events[i]
		if e.At < *dbgFrom || e.At > *dbgTo || e.Request == nil { continue }
		fmt.Println(e.At, e.Kind, e.Request.Flow, "w", e.Request.Width, "arrived", e.Request.Arrived)
	}
}
