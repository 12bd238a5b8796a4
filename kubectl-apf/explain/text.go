package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// text returns the request in the form of the package comment.
func (a Attributes) text() string {
	if !a.ResourceRequest {
		return a.Verb + " " + a.URL
	}
	text := a.Verb + " " + Resource{Group: a.APIGroup, Resource: a.Resource}.String()
	if a.Subresource != "" {
		text += "/" + a.Subresource
	}
	if a.Name != "" {
		text += " " + a.Name
	}
	if a.Namespace != "" {
		text += " -n " + a.Namespace
	}
	return text
}

// text names the flow schema, and its UID in wide output.
func (s FlowSchema) text(wide bool) string {
	text := fmt.Sprintf("%s (precedence %d)", s.Name, s.MatchingPrecedence)
	if wide && s.UID != "" {
		text += ", UID " + s.UID
	}
	return text
}

func (l PriorityLevel) text(wide bool) string {
	text := fmt.Sprintf("%s (%s)", l.Name, l.Type)
	switch {
	case l.Queues > 0 && l.byFlow:
		text = fmt.Sprintf("%s (%s: at most %s of a flow wait, and %s of the level)", l.Name, l.Type, table.Count(l.mostOfFlow(), "request"), table.Count(l.most(), "request"))
	case l.Queues > 0:
		text = fmt.Sprintf("%s (%s: hands of %d out of %d queues, at most %d requests in each)", l.Name, l.Type, l.HandSize, l.Queues, l.QueueLengthLimit)
	}
	if wide && l.UID != "" {
		text += ", UID " + l.UID
	}
	return text
}

// mostOfFlow and most are how many requests of a flow and of the level may wait in the engine pkg/apf.
func (l PriorityLevel) mostOfFlow() int { return l.HandSize * l.QueueLengthLimit }
func (l PriorityLevel) most() int       { return l.Queues * l.QueueLengthLimit }

func (l Limits) text() string {
	text := fmt.Sprintf("nominal %d, lower %d, upper %s, current %d seats", l.Nominal, l.Lower, l.upperText(), l.Current)
	switch {
	case l.Inferred && l.told:
		text += ", partly computed for an idle API server"
	case l.Inferred:
		text += ", computed for an idle API server"
	}
	return text
}

// most is the highest current limit.
func (l Limits) most() int {
	if l.all > 0 {
		return l.all
	}
	return l.Upper
}

// upperText is the upper limit.
func (l Limits) upperText() string {
	if l.all == 0 {
		return fmt.Sprint(l.Upper)
	}
	return fmt.Sprintf("%d (more than all %d seats: kube-apiserver does not bound it)", l.Upper, l.all)
}

// currentText is the current limit, if a server told it.
func (l Limits) currentText() string {
	if l.idle {
		return table.Dash
	}
	return fmt.Sprint(l.Current)
}

func (f Flow) text(schema string) string {
	text := schema
	if f.Distinguisher != "" {
		text += ", " + f.Distinguisher
	}
	if len(f.Hand) == 0 {
		return text
	}
	var queues []string
	for _, index := range f.Hand {
		queues = append(queues, fmt.Sprint(index))
	}
	if len(queues) == 1 {
		return text + "; queue " + queues[0]
	}
	return text + "; queues " + strings.Join(queues, ", ")
}

func (s Seats) text() string {
	text := s.short()
	if s.Final > 0 {
		latency := time.Duration(s.LatencySeconds * float64(time.Second))
		text = fmt.Sprintf("%d, then %d for %v after the response", s.Initial, s.Final, latency.Round(time.Microsecond))
	}
	return text
}

// short returns the width.
func (s Seats) short() string {
	if s.AtMost > s.Width {
		return fmt.Sprintf("%d to %d", s.Width, s.AtMost)
	}
	return fmt.Sprint(s.Width)
}

// countText is the width with its noun.
func (s Seats) countText() string {
	if s.AtMost > s.Width {
		return s.short() + " seats"
	}
	return table.Count(s.Width, "seat")
}

// unknownText is the note about seats that are not known exactly.
func (s Seats) unknownText() string {
	return fmt.Sprintf("The number of seats is not known exactly: %d to %d.", s.Width, s.AtMost)
}

func (o Outcome) text() string {
	if o.Reason != "" {
		return fmt.Sprintf("%s (%s)", o.Decision, o.Reason)
	}
	return string(o.Decision)
}

// handText lists the queues of a hand. Those where the request would wait have an
// asterisk.
func handText(hand []Queue) string {
	var queues []string
	for _, q := range hand {
		text := fmt.Sprintf("%d(%d)", q.Index, q.Waiting)
		if q.Chosen {
			text += "*"
		}
		queues = append(queues, text)
	}
	return table.OrDash(strings.Join(queues, " "))
}
