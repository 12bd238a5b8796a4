//go:build long

package lane

// Long reports whether this is the long lane.
const Long = true
