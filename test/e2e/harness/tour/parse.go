package tour

import (
	"fmt"
	"regexp"
	"strings"
)

// Command is a command shown in a document.
type Command struct {
	// Line is the command, Output the output shown for it.
	Line, Output string
}

// Commands returns the commands of the section with the heading.
func Commands(text, heading string) ([]Command, error) {
	s, err := parse(text, heading)
	if err != nil {
		return nil, err
	}
	commands := make([]Command, len(s.commands))
	for i, line := range s.commands {
		commands[i] = Command{Line: line, Output: s.output(i)}
	}
	return commands, nil
}

// shown is a document, split at the commands of one section.
type shown struct {
	commands []string
	// pieces alternate: text up to and including a command, then the output
	// shown for it.
	pieces []string
}

// parse finds the commands of the section with the heading.
func parse(text, heading string) (shown, error) {
	before, after, found := strings.Cut(text, heading+"\n")
	if !found {
		return shown{}, fmt.Errorf("there is no section %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	section, rest := after, ""
	if end := regexp.MustCompile(`(?m)^` + level + ` `).FindStringIndex(after); end != nil {
		section, rest = after[:end[0]], after[end[0]:]
	}
	s := shown{pieces: []string{before + heading + "\n"}}
	s.read(strings.SplitAfter(section, "\n"))
	if len(s.commands) == 0 {
		return shown{}, fmt.Errorf("section %q shows no command", heading)
	}
	s.pieces[len(s.pieces)-1] += rest
	return s, nil
}

func (s *shown) read(lines []string) {
	inBlock := false
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "```"):
			inBlock = strings.HasPrefix(line, "```console")
			s.leaveOutput()
			s.add(line)
		case inBlock && strings.HasPrefix(line, "$ "):
			s.leaveOutput()
			length := commandLength(lines[i:])
			command := strings.Join(lines[i:i+length], "")
			s.add(command)
			s.commands = append(s.commands, strings.TrimSuffix(strings.TrimPrefix(command, "$ "), "\n"))
			s.pieces = append(s.pieces, "") // the output begins
			i += length - 1
		default:
			s.add(line)
		}
	}
	s.leaveOutput()
}

func (s *shown) add(text string) { s.pieces[len(s.pieces)-1] += text }

// leaveOutput starts a piece of text if the last piece is an output.
func (s *shown) leaveOutput() {
	if len(s.pieces)%2 == 0 {
		s.pieces = append(s.pieces, "")
	}
}

// commandLength returns the number of lines of the first command in lines.
func commandLength(lines []string) int {
	if _, word, found := strings.Cut(lines[0], "<<"); found {
		word = strings.Trim(strings.Fields(word)[0], `'"`)
		for i, line := range lines {
			if strings.TrimSpace(line) == word {
				return i + 1
			}
		}
	}
	for i, line := range lines {
		if !strings.HasSuffix(strings.TrimSuffix(line, "\n"), `\`) {
			return i + 1
		}
	}
	return len(lines)
}

// output returns the output shown for a command.
func (s *shown) output(i int) string { return s.pieces[2*i+1] }

// render returns the document with the outputs replaced.
func (s *shown) render(outputs []string) string {
	var text strings.Builder
	for i, piece := range s.pieces {
		if i%2 == 1 {
			piece = tidy(outputs[i/2])
		}
		text.WriteString(piece)
	}
	return text.String()
}

// tidy removes kubectl's log lines, how far a rollout is, and trailing spaces, and ends the output
// with one line break.
func tidy(output string) string {
	output = regexp.MustCompile(`(?m)^(I\d{4}|Waiting for deployment) .*\n`).ReplaceAllString(output, "")
	output = strings.TrimRight(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(output, ""), "\n")
	if output == "" {
		return ""
	}
	return output + "\n"
}

// shape replaces the parts of an output that differ between runs.
func shape(output string) string {
	output = tidy(output)
	for _, variable := range []struct{ pattern, shape string }{
		// Limits, seats and requests of a moment, in the tables and texts of kubectl apf.
		{`(?m)^([a-z-]+|TOTAL|https://\S+)(?: +(?:\d+(?:\.\d)?s?|-)){3,}(?: +executes .*)?$`, "$1 FIGURES"},
		{`(?m)^([a-z-]+ +[a-z-]+)(?: +\d+)+ +([a-z-]+) \d+ .*$`, "$1 FIGURES $2 FIGURES"},
		{`\bcurrent \d+ seats|\b\d+ of \d+ seats|\ball \d+ objects`, "FIGURES"},
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UID"},
		{`flowcontrol-apiserver-[0-9a-f]+-\w{5}\b`, "POD"},
		// Of the commands of etcd.
		{`flowcontrol-apiserver-\d{8}T\d{6}Z-r\d{20}\.db`, "SNAPSHOT"},
		{`\b\d+(?:\.\d+)? (?:[KMG]i)?B\b`, "SIZE"},
		{`\b([Rr]evision:?) +\d+`, "$1 N"},
		{`\(process \d+\)`, "(process N)"},
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "TIME"},
		{`(valid until|notAfter=).*`, "$1 TIME"},
		{`Retry-After: \d+`, "Retry-After: N"},
		{`(?m)(_total(?:\{.*\})?) \d+$`, "$1 N"},
		{`\b\d+(m\d+)?[sm]\b`, "AGE"},
		{`127\.0\.0\.1:\d+`, "ADDRESS"},
		{`\b10\.0\.0\.\d+\b`, "ADDRESS"},
		{`[ \t]+`, " "},
	} {
		output = regexp.MustCompile(variable.pattern).ReplaceAllString(output, variable.shape)
	}
	return strings.TrimSpace(output)
}
