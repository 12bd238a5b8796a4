package logs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Wait is a wait that a line tells.
type Wait struct {
	Delay time.Duration
	// ByServer reports whether the server asked for it.
	ByServer bool
	// FlowSchema is the UID of the flow schema of a request that flow control rejected, if the line tells it.
	FlowSchema string
	// Failed reports whether the request failed instead: its deadline was before the end of the wait.
	Failed bool
	// Attributes are the request's, without its user; empty if the line is cut off before the URL.
	Attributes flow.Attributes
	// At is when the line was written; zero if that is unknown.
	At time.Time
}

// ClientReader reads the log of a client. Each function is called with what lines say of its kind; nil ignores it.
type ClientReader struct {
	// Clock is the clock of lines of klog. Without a zone their times are unknown.
	Clock  Clock
	Waited func(Wait)
	Failed func(FailedList)
	Lease  func(LeaseLine)
}

// ErrNoWaits means that a log has no line about waits, failed lists or leases.
var ErrNoWaits = errors.New("no line of client-go about waits, about leases that it failed to renew, or about FlowSchemas that it failed to list: about waits it has some if the client waited for more than a second, or from -v=3 on for more than 50ms")

// maxLine is the number of bytes of a line that are searched.
const maxLine = 1 << 20

var (
	worded     = regexp.MustCompile(`(?:Throttling request took|Waited for) ([0-9.a-zµ]+)((?: due to [a-z-]+ throttling, not priority and fairness)?), request: ([A-Z]+):([^\s"\\]+)`)
	outlived   = regexp.MustCompile(`(?:([A-Za-z]+) \\?"(https?://[^\s"\\]+)\\?": )?client rate limiter Wait returned an error`)
	rejectedBy = regexp.MustCompile(`server-side throttling, FlowSchema UID: \\*"([^"\\]*)`)
	fields     = regexp.MustCompile(`"?(delay|reason|verb|URL)"?\s*[:=]\s*("[^"]*"|[0-9.]+)`)
)

const (
	structured = "Waited before sending request"
	ownLimit   = "client-side throttling"
)

// Read reads a log. It returns ErrNoWaits if no line is of any kind.
func (r ClientReader) Read(name string, in io.Reader) error {
	decompressed, err := plain.Text(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer decompressed.Close() //nolint:errcheck // releases memory
	lines := bufio.NewReaderSize(decompressed, maxLine)
	found := false
	for {
		line, err := lines.ReadSlice('\n')
		found = r.line(string(line)) || found
		switch {
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("%s: %w", name, err)
		case !found:
			return fmt.Errorf("%s: %w", name, ErrNoWaits)
		default:
			return nil
		}
	}
}

// line passes on what a line says, and reports whether it says something.
func (r ClientReader) line(line string) bool {
	wait, waited := parseWait(line)
	if waited && r.Waited != nil {
		wait.At = r.Clock.timeOfLine(line)
		r.Waited(wait)
	}
	list, failed := parseFailedList(line)
	if failed && r.Failed != nil {
		r.Failed(list)
	}
	lease, about := r.Clock.parseLease(line)
	if about && r.Lease != nil {
		r.Lease(lease)
	}
	return waited || failed || about
}

// parseWait returns the wait of a line.
func parseWait(line string) (w Wait, ok bool) {
	defer func() {
		if rejected := rejectedBy.FindStringSubmatch(line); rejected != nil && w.ByServer {
			w.FlowSchema = rejected[1]
		}
	}()
	if strings.Contains(line, "Wait returned an error") { // otherwise the search takes long
		match := outlived.FindStringSubmatch(line)
		if match == nil {
			return Wait{}, false
		}
		attributes, _, _ := uri.Parse(strings.ToUpper(match[1]), match[2]) // a line may lack its URL
		return Wait{Failed: true, Attributes: attributes}, true
	}
	if !strings.Contains(line, "hrottling request took") && !strings.Contains(line, "Waited ") {
		return Wait{}, false
	}
	_, after, isStructured := strings.Cut(strings.ReplaceAll(line, `\"`, `"`), structured) // within JSON, quotation marks are escaped
	if !isStructured {
		match := worded.FindStringSubmatch(line)
		if match == nil {
			return Wait{}, false
		}
		own := strings.HasPrefix(match[0], "Throttling") || strings.Contains(match[2], ownLimit)
		return waitOf(match[1], !own, match[3], match[4])
	}
	values := map[string]string{}
	for _, match := range fields.FindAllStringSubmatch(after, -1) {
		values[match[1]] = strings.Trim(match[2], `"`)
	}
	return waitOf(values["delay"], !strings.Contains(values["reason"], ownLimit), values["verb"], values["URL"])
}

func waitOf(delay string, byServer bool, method, address string) (Wait, bool) {
	d, err := time.ParseDuration(delay)
	if err != nil {
		seconds, err := strconv.ParseFloat(delay, 64) // as zap writes it by default
		if err != nil {
			return Wait{}, false
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	attributes, _, _ := uri.Parse(method, address) // a line may be cut off before its URL
	return Wait{Delay: d, ByServer: byServer, Attributes: attributes}, true
}
