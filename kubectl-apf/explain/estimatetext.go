package explain

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// The sentences of an outcome. waitText says how long a request waits.
const (
	waitText = "If it gets no seats within a quarter of its timeout, a minute at most, it is rejected: time-out."

	sayAway           = "The API server cannot be reached."
	sayIdle           = "The state of the API servers is not known. On an idle one: "
	sayUnsure         = "%s The request takes %s. At best it %s, at worst it %s."
	sayRange          = "In use: %s. The current limit is not known: it is from %d to %d seats."
	sayInUse          = "%d of %d seats are in use."
	sayExempt         = "The priority level is exempt: its requests execute at once."
	sayNoSeats        = "How many seats are in use is not known."
	sayNotTold        = "This API server did not report the seats in use of the priority level."
	sayOneAtATime     = " kube-apiserver executes one request at a time on a level without seats."
	sayNoQueues       = "%s The request needs %s, and the priority level has no queues."
	sayWaitingNotTold = " This API server did not report whether requests wait."
	sayNobodyWaits    = " No request waits."
	sayFlowUnknown    = "%s How many requests of its flow wait is not known. If %d wait, it is rejected: queue-full. %s"
	sayFlowFull       = "%s Of its flow %s wait, as many as may."
	sayFlowWaits      = "%s It waits behind %s of its flow%s. %s"
	sayLevelFull      = "%s On the priority level %s wait, as many as may: the one that would be served last is rejected."
	sayMaybeThis      = " That may be this one."
	sayAnother        = " That is another one, unless the flow of this one has just used much. "
	sayQueuesUnknown  = " The state of its queues is not known. If they are full, it is rejected: queue-full. "
	sayQueueFull      = "%s It would go to %s, the least work of its hand, where %s wait: the queue length limit is %d."
	sayQueueWaits     = "%s It goes to %s, the least work of its hand, behind %s%s. %s"
	sayEach           = "So on each of %d API servers. On %s: %s"
	sayDepends        = "It depends on the API server: %s of %d."
)

// learnedText is what is known of a cost that a server learns.
const learnedText = "This server learns what lists cost (--list-cost): these are the seats of a list of a kind that it has not measured."

// objectsText says how an estimate by objects was computed.
func objectsText(read estimate.Read, fact replica.Fact, cost estimate.Cost) []string {
	all := table.Count(fact.Objects, "object")
	var text string
	switch {
	case cost.Cached:
		text = fmt.Sprintf("It examines all %s that are stored, in all namespaces, whatever the limit.", all)
	case read.Selects:
		text = fmt.Sprintf("With a selector it may read all %s that are stored and write a page: %s.", all, table.Count(cost.Objects, "object"))
	case read.Limit > 0:
		text = fmt.Sprintf("Of %s that are stored it reads and writes a page: %s.", all, table.Count(cost.Objects, "object"))
	default:
		text = fmt.Sprintf("It reads and writes all %s that are stored: %s.", all, table.Count(cost.Objects, "object"))
	}
	return []string{text, "100 objects take a seat."}
}

// bytesText says how an estimate by bytes was computed.
func bytesText(read estimate.Read, fact replica.Fact, cost estimate.Cost) []string {
	size := fmt.Sprintf("of %s on average", table.Count(fact.Size(), "byte"))
	if fact.Size() <= 0 && fact.Objects > 0 {
		size = "of unknown size, taken as 1,500,000 bytes"
	}
	var text string
	switch {
	case read.Named:
		text = "It reads one object " + size
	case !cost.Cached && read.Selects:
		text = fmt.Sprintf("With a selector %s of %s that are stored count, %s", table.Grouped(cost.Objects), table.Count(fact.Objects, "object"), size)
	default:
		text = fmt.Sprintf("%s of %s that are stored count, %s", table.Grouped(cost.Objects), table.Count(fact.Objects, "object"), size)
	}
	text += fmt.Sprintf(": %s.", table.Count(cost.Bytes, "byte"))
	sentences := []string{text}
	if cost.Cached && cost.Bytes == 1_000_000 {
		sentences = append(sentences, "A list from the watch cache counts at most 1,000,000 bytes.")
	}
	return append(sentences, "100,000 bytes take a seat.")
}

// whyOne returns why a list or a watch takes one seat.
func whyOne(read estimate.Read, fact replica.Fact, formula estimate.Formula) string {
	switch {
	case read.Watch && formula.Watches == estimate.NoWatches:
		return "A watch takes one seat until it has started, then none."
	case read.Named && !formula.BySize:
		return "A request that names one object takes one seat."
	case fact.Absent && !read.Watch:
		return "This API server does not store the resource. The list takes one seat."
	case fact.Absent:
		return "This API server does not store the resource. The watch takes one seat until it has started, then none."
	default:
		return fmt.Sprintf("The watch sends no initial events. It takes one seat until it has started, then none. Initial events: %s.", formula.Watches)
	}
}

func beginning(read estimate.Read) string {
	if read.Watch {
		return "The watch begins with a list, and takes its seats until that is sent. "
	}
	return ""
}

func serverText(cost estimate.Cost) string {
	if cost.Cached {
		return "The watch cache serves the list."
	}
	return "Etcd serves the list."
}

func boundText(cost estimate.Cost) string {
	if cost.Unbounded > int64(cost.Work.Initial) {
		return fmt.Sprintf("That is %s, and at most %s are allowed here.", table.Count(cost.Unbounded, "seat"), table.Count(cost.Bound, "seat"))
	}
	return fmt.Sprintf("That is %s.", table.Count(cost.Work.Initial, "seat"))
}

// writeText says how the estimate of a write was computed.
func writeText(verb string, watchers int, work seats.Work) string {
	switch {
	case watchers < 0:
		return fmt.Sprintf("A %s takes one seat, and more after its response if it notifies 10 watchers or more. Their number is not known.", verb)
	case work.Latency == 0:
		return fmt.Sprintf("A %s takes one seat. It notifies at most %s; fewer than 10 are neglected.", verb, table.Count(watchers, "watcher"))
	default:
		return fmt.Sprintf("A %s takes one seat while it executes. Then it notifies at most %s, which takes a tenth of a seat for 5 ms each: %s for %v.",
			verb, table.Count(watchers, "watcher"), table.Count(work.Final, "seat"), work.Latency)
	}
}
