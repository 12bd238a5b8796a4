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

func flagsFor(need Seats) Flags {
	mutating := max(1, need.High/3) // kube-apiserver takes 0 as no limit
	limits := []string{flag("max-requests-inflight", max(1, need.High-mutating)), flag("max-mutating-requests-inflight", mutating)}
	return Flags{
		KubeAPIServer:        limits,
		FlowControlAPIServer: append(limits[:2:2], "--flow-control-total=adaptive", flag("flow-control-total-min", max(2, need.Seats))),
	}
}

func flag(name string, value int) string { return "--" + name + "=" + strconv.Itoa(value) }
