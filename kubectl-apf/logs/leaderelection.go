package logs

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Cause is what held a renewal of a lease up.
type Cause string

// The causes. NotArrived is that no request reached the API server, Server that the API server executed it for
// long, or was not available, Error that it answered
// with an error, such as 403.
const (
	CauseFlowControl Cause = "flow control"
	CauseEtcd        Cause = "etcd"
	CauseServer      Cause = "API server"
	CauseOwnLimit    Cause = "the client's own limit"
	CauseNotArrived  Cause = "not arrived"
	CauseHolder      Cause = "another holder"
	CauseError       Cause = "error response"
	CauseUnknown     Cause = "unknown"
)

// LeaseLine is a line of a client about a lease that it could not renew.
type LeaseLine struct {
	// Lease is NAMESPACE/NAME; "" if the line does not tell.
	Lease string
	// At is when the line was written; zero if that is unknown.
	At time.Time
	// Lost reports that the client is no longer the leader.
	Lost bool
	// Cause is what the line says was the cause.
	Cause Cause
	// Why is the error in the line.
	Why string
}

var (
	leaseFailed = regexp.MustCompile(`(?i)(?:error retrieving (?:resource|lease) lock|failed to update (?:lock|lease)(?: optimistically)?|error initially creating (?:leader election|lease) lock|failed to renew lease|leader ?election lost)(.*)`)
	leaseOfURL  = regexp.MustCompile(`/namespaces/([^/"\\?]+)/(?:leases|configmaps|endpoints)/([^/"\\?: ]+)`)
	leaseOfText = regexp.MustCompile(`^[ :]*"?\s*(?:lock="|lock":\s*")?([a-z0-9][a-z0-9.-]*)/([a-z0-9][a-z0-9.-]*)`)
	leaseField  = regexp.MustCompile(`"?(?:lock|lease)"?\s*[:=]\s*"([a-z0-9.-]+)/([a-z0-9.-]+)"`)
	// stampOfLog is the time that package log of Go writes, and others.
	stampOfLog = regexp.MustCompile(`\b(\d{4})[/-](\d\d)[/-](\d\d) (\d\d:\d\d:\d\d)`)
	timeField  = regexp.MustCompile(`"?(?:ts|time|timestamp)"?\s*[:=]\s*"?([0-9TZ:.+e-]+)`)
)

// causesByText are what errors of clients have in them.
var causesByText = []struct { //nolint:gochecknoglobals // constant
	text  string
	cause Cause
}{
	{"client rate limiter", CauseOwnLimit}, {"client-side throttling", CauseOwnLimit},
	{"too many requests", CauseFlowControl}, {"received too many requests", CauseFlowControl}, {"server-side throttling", CauseFlowControl},
	{"etcdserver", CauseEtcd},
	{"is forbidden", CauseError}, {"unauthorized", CauseError}, {"not found", CauseError},
	{"object has been modified", CauseHolder}, {"stopped leading", CauseUnknown},
	{"connection refused", CauseServer}, {"connection reset", CauseServer}, {"i/o timeout", CauseServer}, {"no route to host", CauseServer}, {"unexpected eof", CauseServer},
	{"http2: client connection", CauseServer}, {"tls handshake timeout", CauseServer}, {"no such host", CauseServer}, {"internal error", CauseServer}, {"service unavailable", CauseServer},
	{"apiserver not ready", CauseServer}, {"unable to handle the request", CauseServer}, {"allotted", CauseServer},
}

// parseLease returns what a line of a client says about a lease.
func (c Clock) parseLease(line string) (LeaseLine, bool) {
	// Without these the search takes long.
	if !strings.Contains(line, "ock") && !strings.Contains(line, "ease") && !strings.Contains(line, "lection") {
		return LeaseLine{}, false
	}
	plain := strings.ReplaceAll(line, `\"`, `"`) // within JSON, quotation marks are escaped
	match := leaseFailed.FindStringSubmatchIndex(plain)
	if match == nil {
		return LeaseLine{}, false
	}
	said, rest := strings.ToLower(plain[match[0]:match[2]]), strings.TrimSpace(plain[match[2]:match[3]])
	l := LeaseLine{At: c.timeOfLine(line), Cause: CauseUnknown, Lost: strings.Contains(said, "renew") || strings.Contains(said, "lost"), Why: strings.Trim(rest, `:" `)}
	for _, form := range []*regexp.Regexp{leaseField, leaseOfURL, leaseOfText} {
		if names := form.FindStringSubmatch(rest); names != nil {
			l.Lease = names[1] + "/" + names[2]
			break
		}
	}
	for _, known := range causesByText {
		if strings.Contains(strings.ToLower(rest), known.text) {
			l.Cause = known.cause
			break
		}
	}
	return l, true
}

// timeOfLine returns when a client wrote a line: by the header of klog, a time in front or within, or the seconds
// since 1970 that zap writes; zero if it does not tell.
func (c Clock) timeOfLine(line string) time.Time {
	first, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), "\t")
	for word := range strings.FieldsSeq(first) {
		if at := timeOf(word); !at.IsZero() {
			return at
		}
	}
	if header := klogHeader.FindStringIndex(line); header != nil && c.Zone != nil {
		at, _ := c.parse(line[header[0]:], time.Time{})
		return at
	}
	if match := stampOfLog.FindStringSubmatch(line); match != nil && c.Zone != nil {
		at, _ := time.ParseInLocation("2006-01-02 15:04:05", strings.Join(match[1:4], "-")+" "+match[4], c.Zone)
		return at
	}
	match := timeField.FindStringSubmatch(line)
	if match == nil {
		return time.Time{}
	}
	seconds, err := strconv.ParseFloat(match[1], 64)
	switch {
	case err != nil:
		return timeOf(match[1])
	case seconds > 1e11: // milliseconds
		seconds /= 1000
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC()
}
