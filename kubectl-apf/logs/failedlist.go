package logs

import (
	"regexp"
	"strings"
)

// FailedList is a line of client-go about an informer of flow control that cannot list.
type FailedList struct {
	// Version is the API version, such as v1beta3, and Kind FlowSchema or PriorityLevelConfiguration.
	Version, Kind string
	// Forbidden reports that the server rejects the user, whom User names if the line does;
	// otherwise the server does not serve the version.
	Forbidden bool
	User      string
	// Warning reports that the line is a warning. client-go may write one and an error about each failure.
	Warning bool
}

var (
	listed    = regexp.MustCompile(`failed to list \*(v1(?:alpha\d|beta\d)?)\.(FlowSchema|PriorityLevelConfiguration): `)
	forbidden = regexp.MustCompile(`is forbidden: User "([^"]*)"`)
)

// parseFailedList returns the failed list of a line.
func parseFailedList(line string) (FailedList, bool) {
	match := listed.FindStringSubmatchIndex(line)
	if match == nil {
		return FailedList{}, false
	}
	reason := strings.ReplaceAll(line[match[1]:], `\`, "") // within JSON, quotation marks are escaped
	f := FailedList{Version: line[match[2]:match[3]], Kind: line[match[4]:match[5]], Warning: !strings.Contains(line, "Failed to watch")}
	if user := forbidden.FindStringSubmatch(reason); user != nil {
		f.Forbidden, f.User = true, user[1]
		return f, true
	}
	return f, strings.Contains(reason, "could not find the requested resource")
}
