// Package repo holds the tests of the repository itself: what a compiler and a
// linter do not see of the project's rules. It has no code of its own.
package repo
