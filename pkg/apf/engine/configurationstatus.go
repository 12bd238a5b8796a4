package engine

import "time"

// ObjectState says whether a stored object of the API is enforced.
type ObjectState string

// The states of objects.
const (
	// Enforced objects are enforced as they are stored.
	Enforced ObjectState = "enforced"
	// Dangling flow schemas name a priority level that does not exist, and match no request.
	Dangling ObjectState = "dangling"
	// Invalid objects are ignored, as if they did not exist.
	Invalid ObjectState = "invalid"
)

// ConfigurationStatus says how much of the stored configuration is enforced.
type ConfigurationStatus struct {
	// AppliedAt is when a configuration was applied last; zero before the first time.
	AppliedAt time.Time
	// Hash identifies the enforced specifications. Engines with the same hash enforce the
	// same. It is empty before the first time.
	Hash string
	// Objects are the numbers of stored objects.
	Objects map[Kind]map[ObjectState]int
	// Pending is the number of changes that have been observed and not applied yet.
	Pending int
}
