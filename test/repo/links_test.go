package repo

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinksInDocumentsHaveTargets checks that each relative link of a document names a file, and its
// fragment a heading.
func TestLinksInDocumentsHaveTargets(t *testing.T) {
	anchors, links := map[string][]string{}, 0
	for _, name := range trackedFiles(t) {
		if path.Ext(name) == ".md" {
			anchors[name] = anchorsOf(fileText(t, name))
		}
	}
	for name := range anchors {
		for _, link := range linksOf(fileText(t, name)) {
			links++
			file, fragment, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			_, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(target)))
			assert.NoError(t, err, "%s links to %s", name, link)
			if fragment != "" && path.Ext(target) == ".md" {
				assert.Contains(t, anchors[target], fragment, "%s links to %s, which has no such heading", name, link)
			}
		}
	}
	require.NotZero(t, links)
}

// withoutCode returns a document without its blocks of code.
func withoutCode(document string) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(document, "")
}

// linksOf returns the relative links of a document.
func linksOf(document string) (links []string) {
	for _, match := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutCode(document), -1) {
		if !strings.Contains(match[1], ":") {
			links = append(links, match[1])
		}
	}
	return links
}

// anchorsOf returns the fragments of the headings of a document, as GitHub makes them.
func anchorsOf(document string) (anchors []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(withoutCode(document), -1) {
		words := regexp.MustCompile(`[^\p{L}\d_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		anchors = append(anchors, strings.ReplaceAll(words, " ", "-"))
	}
	return anchors
}
