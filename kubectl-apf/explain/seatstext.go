package explain

import (
	"fmt"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// objectsText says how an estimate by objects was computed.
func objectsText(read estimate.Read, stored estimate.Stored, cost estimate.Cost) []string {
	all := count(stored.Objects, "object")
	var text string
	switch {
	case cost.Cached:
		text = fmt.Sprintf("It examines all %s that are stored, in all namespaces, whatever the limit.", all)
	case read.Selects:
		text = fmt.Sprintf("With a selector it may read all %s that are stored and write a page: %s.", all, count(cost.Objects, "object"))
	case read.Limit > 0:
		text = fmt.Sprintf("Of %s that are stored it reads and writes a page: %s.", all, count(cost.Objects, "object"))
	default:
		text = fmt.Sprintf("It reads and writes all %s that are stored: %s.", all, count(cost.Objects, "object"))
	}
	return []string{text, "100 objects take a seat."}
}

// bytesText says how an estimate by bytes was computed.
func bytesText(read estimate.Read, stored estimate.Stored, cost estimate.Cost) []string {
	size := fmt.Sprintf("of %s on average", count(stored.Size, "byte"))
	if stored.Size <= 0 && stored.Objects > 0 {
		size = "of unknown size, taken as 1,500,000 bytes"
	}
	var text string
	switch {
	case read.Named:
		text = "It reads one object " + size
	case !cost.Cached && read.Selects:
		text = fmt.Sprintf("With a selector %s of %s that are stored count, %s", grouped(cost.Objects), count(stored.Objects, "object"), size)
	default:
		text = fmt.Sprintf("%s of %s that are stored count, %s", grouped(cost.Objects), count(stored.Objects, "object"), size)
	}
	text += fmt.Sprintf(": %s.", count(cost.Bytes, "byte"))
	sentences := []string{text}
	if cost.Cached && cost.Bytes == 1_000_000 {
		sentences = append(sentences, "A list from the watch cache counts at most 1,000,000 bytes.")
	}
	return append(sentences, "100,000 bytes take a seat.")
}

// count returns a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped returns a number with commas between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
