package top

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/table"
)

// Origin says where figures are from.
type Origin struct {
	Replicas []Replica `json:"replicas"`
}

// Replica is an API server that was read.
type Replica struct {
	Name   string    `json:"name"`
	ReadAt time.Time `json:"readAt"`
	// Away reports that it could not be reached: the figures lack it.
	Away    bool      `json:"away,omitempty"`
	Missing []Missing `json:"missing,omitempty"`
}

// Missing is a part of the state of a replica that the figures lack.
type Missing struct {
	// What is the path of an endpoint, and Why a sentence with the remedy.
	What string `json:"what"`
	Why  string `json:"why"`
}

func originOf(replicas []replica.Replica) Origin {
	origin := Origin{Replicas: make([]Replica, 0, len(replicas))}
	for i := range replicas {
		r := Replica{Name: replicas[i].Name, ReadAt: replicas[i].Read, Away: replicas[i].Away}
		for _, missing := range replicas[i].Missing {
			r.Missing = append(r.Missing, Missing{What: missing.What, Why: missing.Why})
		}
		origin.Replicas = append(origin.Replicas, r)
	}
	return origin
}

// write writes what the figures lack, a line for each part that a replica does not
// tell.
func (o Origin) write(w io.Writer) {
	for _, r := range o.Replicas {
		for _, missing := range r.Missing {
			fmt.Fprintf(w, "Note: %s: %s: %s\n", table.Escape(r.Name), missing.What, table.Escape(missing.Why))
		}
	}
}

// told returns the number of replicas that could be reached.
func (o Origin) told() int {
	count := 0
	for _, r := range o.Replicas {
		if !r.Away {
			count++
		}
	}
	return count
}

// lacks reports whether the endpoint of a replica could not be read.
func lacks(r *replica.Replica, endpoint replica.Endpoint) bool {
	return slices.ContainsFunc(r.Missing, func(m replica.Missing) bool { return m.What == string(endpoint) })
}

// addInt adds a known figure to a sum that may be unknown so far.
func addInt(sum **int, figure int) {
	if *sum == nil {
		*sum = new(int)
	}
	**sum += figure
}

// addFloat adds a known figure to a sum that may be unknown so far.
func addFloat(sum **float64, figure float64) {
	if *sum == nil {
		*sum = new(float64)
	}
	**sum += figure
}

// longer makes the longest known wait not less than wait, in seconds.
func longer(longest **float64, wait float64) {
	if *longest == nil || **longest < wait {
		*longest = &wait
	}
}

// seconds is the time from begin to end, at least 0: the clocks of two machines differ.
func seconds(begin, end time.Time) float64 {
	return max(0, end.Sub(begin).Seconds())
}
