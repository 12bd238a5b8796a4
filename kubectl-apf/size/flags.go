package size

import "strconv"

// Flags are a server's flags that give it the seats.
type Flags struct {
	// KubeAPIServer give the upper end of the range. Flow control adds both numbers up, so
	// only their sum counts; they are two to one, as without flags.
	KubeAPIServer []string `json:"kubeAPIServer"`
	// FlowControlAPIServer let the total follow the machine, and keep it at what is needed.
	FlowControlAPIServer []string `json:"flowControlAPIServer"`
}

const (
	// fewRequests and fewSeats are what an idle API server has, whose needs say nothing about a busy time.
	fewRequests = 1000
	fewSeats    = 10
)

// flagsFor returns the flags for a need of as many requests; nil if these are too few.
func flagsFor(need Seats, requests uint64) *Flags {
	if requests < fewRequests || need.High < fewSeats {
		return nil
	}
	mutating := need.High / 3
	limits := []string{flag("max-requests-inflight", need.High-mutating), flag("max-mutating-requests-inflight", mutating)}
	return &Flags{
		KubeAPIServer:        limits,
		FlowControlAPIServer: append(limits[:2:2], "--flow-control-total=adaptive", flag("flow-control-total-min", need.Seats)),
	}
}

func flag(name string, value int) string { return "--" + name + "=" + strconv.Itoa(value) }
