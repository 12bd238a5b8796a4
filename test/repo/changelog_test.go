package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sectionLines is the most lines of a section of CHANGELOG.md. It becomes the notes of a release.
const sectionLines = 60

// problemsOfChangelog names sections that are neither of a release nor the first one, Unreleased, and sections
// that are too long to read.
func problemsOfChangelog(text string) (problems []string) {
	for i, section := range strings.Split(text, "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(title) && (i > 0 || title != "Unreleased") {
			problems = append(problems, title+": name a release, as 0.2.0, or first of all Unreleased")
		}
		if strings.Count(strings.TrimSpace(section), "\n")+1 > sectionLines {
			problems = append(problems, title+": say what users see, in at most 60 lines")
		}
	}
	return problems
}

func TestChangelogIsReadable(t *testing.T) {
	long := strings.Repeat("- a line\n", sectionLines)
	assert.Empty(t, problemsOfChangelog("# Changelog\n\n## Unreleased\n- a line\n\n## 0.1.0\n"+strings.TrimPrefix(long, "- a line\n")))
	assert.Equal(t, []string{"0.1.0: say what users see, in at most 60 lines", "Unreleased: name a release, as 0.2.0, or first of all Unreleased", "next: name a release, as 0.2.0, or first of all Unreleased"},
		problemsOfChangelog("# Changelog\n\n## 0.1.0\n"+long+"\n## Unreleased\n\n## next\n"))
	assert.Empty(t, problemsOfChangelog(fileText(t, "CHANGELOG.md")), "CHANGELOG.md")
}
