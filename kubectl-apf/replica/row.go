package replica

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// reader reads the values of a row. A column that the row has not is zero. fault is
// the first value that could not be read.
type reader struct {
	row   row
	fault string
}

func (r *reader) text(column string) string { return r.row[strings.ToLower(column)] }

func value[T any](r *reader, column string, parse func(string) (T, error)) (out T) {
	text := r.text(column)
	if text == "" {
		return out
	}
	out, err := parse(text)
	if err != nil && r.fault == "" {
		r.fault = fmt.Sprintf("%s is %q", column, text)
	}
	return out
}

func (r *reader) integer(column string) int  { return value(r, column, strconv.Atoi) }
func (r *reader) boolean(column string) bool { return value(r, column, strconv.ParseBool) }
func (r *reader) instant(column string) time.Time {
	return value(r, column, func(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) })
}
func (r *reader) duration(column string) time.Duration {
	return value(r, column, time.ParseDuration)
}

// index is -1 if the row has no such column.
func (r *reader) index(column string) int {
	if r.text(column) == "" {
		return -1
	}
	return r.integer(column)
}

func (r *reader) count(column string) uint64 {
	return value(r, column, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// seatSeconds reads a number that may end in "ss".
func (r *reader) seatSeconds(column string) float64 {
	return value(r, column, func(text string) (float64, error) {
		number, err := strconv.ParseFloat(strings.TrimSuffix(text, "ss"), 64)
		if err == nil && (math.IsNaN(number) || math.IsInf(number, 0)) {
			err = strconv.ErrRange
		}
		return number, err
	})
}

// levelName reads the column that every row must have.
func (r *reader) levelName() string {
	name := r.text(firstColumn)
	if name == "" && r.fault == "" {
		r.fault = "PriorityLevelName is empty"
	}
	return name
}

// distinguisher accepts the spelling of k8s.io/apiserver.
func (r *reader) distinguisher() string {
	if text, exists := r.row["flowdistinguisher"]; exists {
		return text
	}
	return r.text("FlowDistingsher")
}

func (r *reader) level() Level {
	return Level{
		Name:         r.levelName(),
		Quiescing:    r.boolean("IsQuiescing"),
		Idle:         r.boolean("IsIdle"),
		ActiveQueues: r.integer("ActiveQueues"),
		Waiting:      r.integer("WaitingRequests"),
		Executing:    r.integer("ExecutingRequests"),
		Dispatched:   r.count("DispatchedRequests"),
		Rejected:     r.count("RejectedRequests"),
		TimedOut:     r.count("TimedoutRequests"),
		Cancelled:    r.count("CancelledRequests"),
	}
}

func (r *reader) queue() Queue {
	return Queue{
		Level:     r.levelName(),
		Index:     r.integer("Index"),
		Waiting:   r.integer("PendingRequests"),
		Executing: r.integer("ExecutingRequests"),
		SeatsUsed: r.integer("SeatsInUse"),
		Work:      r.seatSeconds("TotalWorkSum"),
	}
}

func (r *reader) request() Request {
	return Request{
		Level:         r.levelName(),
		FlowSchema:    r.text("FlowSchemaName"),
		Distinguisher: r.distinguisher(),
		Queue:         r.index("QueueIndex"),
		Place:         r.index("RequestIndexInQueue"),
		Arrived:       r.instant("ArriveTime"),
		Started:       r.instant("StartTime"),
		InitialSeats:  r.integer("InitialSeats"),
		FinalSeats:    r.integer("FinalSeats"),
		Latency:       r.duration("AdditionalLatency"),
		User:          r.text("UserName"),
		Verb:          r.text("Verb"),
		Path:          r.text("APIPath"),
		Namespace:     r.text("Namespace"),
		Name:          r.text("Name"),
		APIVersion:    r.text("APIVersion"),
		Resource:      r.text("Resource"),
		SubResource:   r.text("SubResource"),
	}
}

func (r *reader) flow() Flow {
	return Flow{
		Level:         r.levelName(),
		FlowSchema:    r.text("FlowSchemaName"),
		Distinguisher: r.distinguisher(),
		SeatSeconds:   [3]float64{r.seatSeconds("SeatSeconds1m"), r.seatSeconds("SeatSeconds5m"), r.seatSeconds("SeatSeconds15m")},
		Error:         [3]float64{r.seatSeconds("Error1m"), r.seatSeconds("Error5m"), r.seatSeconds("Error15m")},
	}
}

func (r *reader) rejection() Rejection {
	return Rejection{
		Level:         r.levelName(),
		FlowSchema:    r.text("FlowSchemaName"),
		Distinguisher: r.distinguisher(),
		Reason:        r.text("Reason"),
		Count:         r.count("Count"),
		First:         r.instant("FirstTime"),
		Last:          r.instant("LastTime"),
		User:          r.text("UserName"),
		Verb:          r.text("Verb"),
		Path:          r.text("Path"),
		Queue:         r.index("Queue"),
		Seats:         r.integer("Seats"),
	}
}
