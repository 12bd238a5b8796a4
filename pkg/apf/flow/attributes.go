package flow

// Attributes are the properties of a request that flow control uses.
type Attributes struct {
	// User is the name of the user, Groups are the groups the user is in.
	User   string
	Groups []string
	// Verb is the API verb of a resource request (get, list, ...), or the HTTP method
	// of any other request, in lower case.
	Verb string
	// IsResourceRequest reports whether the next four fields and Namespace matter,
	// or only Path.
	IsResourceRequest bool
	APIGroup          string
	APIVersion        string
	Resource          string
	Subresource       string
	// Namespace is empty for a request that is not limited to one namespace.
	Namespace string
	// Name is the name of the object. No rule matches on it.
	Name string
	// Path is the URL path.
	Path string
}
