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
}

// ErrNoWaits means that a log has no line about waits, and none about a failed list.
var ErrNoWaits = errors.New("no line of client-go about waits, or about FlowSchemas that it failed to list: about waits it has some if the client waited for more than a second, or from -v=3 on for more than 50ms")

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

// ReadClient calls waited with each wait of a client's log, and failed with each failed list of flow
// control's objects. It returns ErrNoWaits if there is neither.
func ReadClient(name string, in io.Reader, waited func(Wait), failed func(FailedList)) error {
	decompressed, err := plain.Text(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer decompressed.Close() //nolint:errcheck // releases memory
	lines := bufio.NewReaderSize(decompressed, maxLine)
	found := false
	for {
		line, err := lines.ReadSlice('\n')
		if waitOf, ok := parseWait(string(line)); ok {
			found = true
			waited(waitOf)
		}
		if list, ok := parseFailedList(string(line)); ok {
			found = true
			failed(list)
		}
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

// parseWait returns the wait of a line.
func parseWait(line string) (w Wait, ok bool) {
	defer func() {
		if rejected := rejectedBy.FindStringSubmatch(line); rejected != nil && w.ByServer {
			w.FlowSchema = rejected[1]
		}
	}()
	if match := outlived.FindStringSubmatch(line); match != nil {
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
