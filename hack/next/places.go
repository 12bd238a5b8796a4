package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// task is a row of "How to change X" in CONTRIBUTING.md.
type task struct {
	name   string
	places []string
	toldBy string
}

// printPlaces prints, for each row of CONTRIBUTING.md about a release, the files that do not name
// the release.
func (n *next) printPlaces() error {
	tasks, err := tasksOfReleases(n.root)
	if err != nil {
		return err
	}
	fmt.Fprintf(n.out, "\n== left to do by hand: rows of CONTRIBUTING.md, with files that do not name the release\n")
	for _, t := range tasks {
		var left []string
		for _, place := range t.places {
			if !mentions(n.root, place, n.release) {
				left = append(left, "  [ ] "+place+hint(mentions(n.root, place, n.previous), n.previous)+"\n")
			}
		}
		if left != nil {
			fmt.Fprintf(n.out, "%s (told by %s)\n%s", t.name, t.toldBy, strings.Join(left, ""))
		}
	}
	return nil
}

func hint(named bool, previous base) string {
	if !named {
		return ""
	}
	libraries, kubernetes := previous.names()
	return ", which names " + libraries + " or " + kubernetes
}

// tasksOfReleases are the rows about a release of Kubernetes or k8s.io.
func tasksOfReleases(root string) (tasks []task, err error) {
	content, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		return nil, err
	}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]* release of (?:k8s\.io|Kubernetes)[^|]*) \| ([^|]*) \| ([^|]*) \|$`).FindAllStringSubmatch(string(content), -1) {
		tasks = append(tasks, task{row[1], placesIn(root, row[2]), row[3]})
	}
	if len(tasks) == 0 {
		return nil, errors.New("CONTRIBUTING.md has no row about a release of k8s.io or Kubernetes")
	}
	return tasks, nil
}

// placesIn returns the files and folders that a text names.
func placesIn(root, text string) (places []string) {
	for _, word := range regexp.MustCompile(`[\w./-]*[\w]`).FindAllString(text, -1) {
		if _, err := os.Stat(filepath.Join(root, word)); err == nil {
			places = append(places, word)
		}
	}
	return places
}

// mentions reports whether a file, or a file in a folder, names a release: as 0.37, 1.37 or with a
// patch. What was said before the release, about 0.37.0-alpha.1, is left out.
func mentions(root, place string, release base) bool {
	libraries, kubernetes := release.names()
	name := regexp.MustCompile(`(^|[^0-9.])(` + regexp.QuoteMeta(libraries) + "|" + regexp.QuoteMeta(kubernetes) + `)\b`)
	early := regexp.MustCompile(`[01]\.\d+\.\d+-[a-z]\w*`)
	files, _ := filepath.Glob(filepath.Join(root, place, "*"))
	for _, file := range append(files, filepath.Join(root, place)) {
		if content, err := os.ReadFile(file); err == nil && name.Match(early.ReplaceAll(content, nil)) {
			return true
		}
	}
	return false
}
