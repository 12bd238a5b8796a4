// Package lane tells a test how much to try.
//
// There are two lanes. The short one, `make test`, is what a change must pass:
// it makes the same choices in every run, so that a change is never refused by
// chance. The long one, `make test-long`, is built with the tag "long": it has
// the full counts, tests that take minutes, and new random choices in each run.
//
// A test that is of the long lane alone stands in a file of its own that begins
// with
//
//	//go:build long
//
// and so does not exist in the short one; nothing is skipped. CONTRIBUTING.md
// lists these tests with the reason.
package lane
