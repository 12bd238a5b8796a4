package flow

// Attributes are the properties of a request that flow control looks at.
// They are plain values, so that a request can be classified and queued
// without a server.
type Attributes struct {
	// User is the name of the user, Groups are the groups the user is in.
	User   string
	Groups []string
	// Verb is the API verb of a resource request (get, list, ...), and the
	// HTTP method in lower case for any other.
	Verb string
	// IsResourceRequest tells whether the five fields of resources below
	// count, or Path alone.
	IsResourceRequest bool
	APIGroup          string
	APIVersion        string
	Resource          string
	Subresource       string
	// Namespace is empty for a request that is not limited to one namespace.
	Namespace string
	// Name is the object's name; nothing is matched on it.
	Name string
	// Path is the URL path.
	Path string
}
