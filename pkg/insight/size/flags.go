package size

import "strconv"

// Flags are those of a server that give it the seats.
type Flags struct {
	// KubeAPIServer give the upper end of the range. Flow control adds both numbers up, so
	// only their sum counts; they are two to one, as without flags.
	KubeAPIServer []string `json:"kubeAPIServer"`
	// FlowControlAPIServer let the total follow the machine, and keep it at what is needed.
	FlowControlAPIServer []string `json:"flowControlAPIServer"`
}

func flagsFor(need Seats) Flags {
	mutating := need.High / 3
	limits := []string{flag("max-requests-inflight", need.High-mutating), flag("max-mutating-requests-inflight", mutating)}
	return Flags{
		KubeAPIServer:        limits,
		FlowControlAPIServer: append(limits[:2:2], "--flow-control-total=adaptive", flag("flow-control-total-min", need.Seats)),
	}
}

func flag(name string, value int) string { return "--" + name + "=" + strconv.Itoa(value) }
