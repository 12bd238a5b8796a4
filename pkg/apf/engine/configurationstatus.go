package engine

import "time"

// ObjectState says whether a stored object of the API is in force.
type ObjectState string

// The states of objects.
const (
	// Enforced objects are in force as they are stored.
	Enforced ObjectState = "enforced"
	// Dangling flow schemas name a priority level that does not exist, and match no request.
	Dangling ObjectState = "dangling"
	// Invalid objects are ignored, as if they did not exist.
	Invalid ObjectState = "invalid"
)

// ConfigurationStatus says how much of what the API stores is in force.
type ConfigurationStatus struct {
	// AppliedAt is when a configuration was applied last; zero before the first time.
	AppliedAt time.Time
	// Hash identifies the specifications in force. Engines with the same hash enforce the
	// same. It is empty before the first time.
	Hash string
	// Objects are the numbers of stored objects.
	Objects map[Kind]map[ObjectState]int
	// Pending is the number of changes that have been observed and not applied yet.
	Pending int
}
