// Command proofs checks the tables of proofs against test runs. Each sentence
// of a table names the tests that prove it, and each of these must have run and
// passed.
//
//	go run ./hack/proofs [-long] docs/evidence/proofs-apf.md docs/evidence/proofs-serving.md '.cache/test/*.json'
//
// Arguments that end in .md are tables. The others are globs of files with the
// events of `go test -json`.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	long := flag.Bool("long", false, "demand the tests of the long lane too")
	flag.Parse()
	if err := run(os.Stdout, *long, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "proofs:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, long bool, args []string) error {
	tables, files, err := sortArguments(args)
	if err != nil {
		return err
	}
	outcomes := newOutcomes()
	for _, file := range files {
		if err := readFile(file, outcomes.read); err != nil {
			return err
		}
	}
	missing := 0
	for _, path := range tables {
		var sentences []sentence
		err := readFile(path, func(r io.Reader) (err error) {
			sentences, err = parseTable(r)
			return err
		})
		if err != nil {
			return err
		}
		result := judge(sentences, outcomes, long)
		for _, fault := range result.faults {
			fmt.Fprintf(out, "%s:%d: %s\n", path, fault.line, fault.text)
		}
		fmt.Fprintf(out, "proofs: %s: %d sentences, %d tests demanded, %d lack theirs; %d sentences are held by the long lane alone\n",
			path, len(sentences), result.demanded, result.lacking, result.longAlone)
		missing += result.lacking
	}
	if missing > 0 {
		return fmt.Errorf("%d sentences lack a proof: mend the test, or write its new name into the table", missing)
	}
	return nil
}

// sortArguments separates tables from events and expands the globs of the
// events.
func sortArguments(args []string) (tables, files []string, err error) {
	for _, arg := range args {
		if strings.HasSuffix(arg, ".md") {
			tables = append(tables, arg)
			continue
		}
		found, err := filepath.Glob(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("%q is no glob: %w", arg, err)
		}
		files = append(files, found...)
	}
	if len(tables) == 0 {
		return nil, nil, errors.New("no table is named: name files that end in .md")
	}
	if len(files) == 0 {
		return nil, nil, errors.New("there are no test events: run `make test` first, and name the files that it writes")
	}
	return tables, files, nil
}

func readFile(path string, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	err = read(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return cmp.Or(err, file.Close())
}
