// Package page tests the page of `kubectl apf top --web` in a real browser, in the long lane.
package page
