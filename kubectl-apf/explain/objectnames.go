package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// objectName is a resource and the name of an object, as on a command line. Without a name
// it is a collection.
type objectName struct {
	resource, subresource, name string
	// doubtful reports whether the name may also be meant as a subresource.
	doubtful bool
}

// objectsOf returns the objects of the words after a verb, as kubectl reads them:
//
//	RESOURCE[,RESOURCE...] [NAME...]
//	RESOURCE/NAME [RESOURCE/NAME...]
//
// and RESOURCE/SUBRESOURCE NAME, which kubectl rejects, for subresources of Kubernetes.
func objectsOf(verb string, words []string) ([]objectName, error) {
	withSlash := 0
	for _, word := range words {
		if strings.Contains(word, "/") {
			withSlash++
		}
	}
	before, after, _ := strings.Cut(words[0], "/")
	isSubresource := slices.Contains(discovery.Subresources(), after)
	switch {
	case withSlash == 0:
		return productOf(words)
	case withSlash == 1 && isSubresource && (len(words) == 2 || len(words) == 1 && verb == "create"):
		return []objectName{{resource: before, subresource: after, name: strings.Join(words[1:], "")}}, nil
	case withSlash < len(words):
		return nil, fmt.Errorf("objects must be RESOURCE/NAME [RESOURCE/NAME...] or RESOURCE NAME [NAME...], not both: %s; a subresource is --subresource=NAME", strings.Join(words, " "))
	}
	named := make([]objectName, len(words))
	for i, word := range words {
		resource, name, _ := strings.Cut(word, "/")
		if resource == "" || name == "" || strings.Contains(name, "/") || strings.Contains(resource, ",") {
			return nil, fmt.Errorf("%q must be one resource, a slash and one name, such as pods/web", word)
		}
		named[i] = objectName{resource: resource, name: name, doubtful: slices.Contains(discovery.Subresources(), name)}
	}
	return named, nil
}

// productOf returns each name with each resource.
func productOf(words []string) ([]objectName, error) {
	names := words[1:]
	if len(names) == 0 {
		names = []string{""}
	}
	var named []objectName
	for resource := range strings.SplitSeq(words[0], ",") {
		if resource == "" {
			return nil, errors.New("resources must be separated by one comma, such as pods,services")
		}
		for _, name := range names {
			named = append(named, objectName{resource: resource, name: name})
		}
	}
	return named, nil
}
