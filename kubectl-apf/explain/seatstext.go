package explain

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

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
