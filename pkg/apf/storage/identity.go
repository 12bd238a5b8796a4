package storage

import "k8s.io/apiserver/pkg/storage"

// identity is what lists of one resource have in common whose results are identical, if they
// are read at one time.
type identity struct {
	key, version, match, labels, fields, token string
	limit                                      int64
	recursive                                  bool
}

func identityOf(key string, options storage.ListOptions) identity {
	predicate := &options.Predicate
	return identity{
		key: key, version: options.ResourceVersion, match: string(options.ResourceVersionMatch),
		labels: selectedBy(predicate.Label), fields: selectedBy(predicate.Field), token: predicate.Continue,
		limit: predicate.Limit, recursive: options.Recursive,
	}
}

// selects is the prefix of a selector that selects: one of nothing has the text "", as one of everything.
const selects = "selects "

func selectedBy(selector interface {
	Empty() bool
	String() string
}) string {
	if selector == nil || selector.Empty() {
		return ""
	}
	return selects + selector.String()
}
