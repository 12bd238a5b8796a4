package fuzzparity

import (
	"fmt"
	"net/http"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	kindSchema = "FlowSchema"
	kindLevel  = "PriorityLevelConfiguration"
	versionOld = "v1beta3"
	versionNew = "v1"
)

// verb is the operation of sending an object.
type verb string

const (
	verbCreate verb = "create"
	verbUpdate verb = "update"
	verbStatus verb = "status update"
	verbRead   verb = "read"
	verbDelete verb = "delete"
)

// attempt is one object that is sent to both servers.
type attempt struct {
	verb verb
	// kind is the kind in the URL; the object's may differ.
	kind string
	// version is the version for this server; the peer gets v1.
	version string
	// target is the name in the URL of an update.
	target string
	// query is the query string; it may be empty.
	query string
	form  form
	// damage changes the bytes; nil changes nothing.
	damage *damage
	// tree is the object in JSON, in version.
	tree []byte
}

// in converts the attempt to another version.
func (a attempt) in(version string) attempt {
	if a.version == version {
		return a
	}
	a.version = version
	if a.tree != nil {
		a.tree = objects.Encode(inV1(objects.Decode(a.tree), a.kind))
	}
	return a
}

// path returns the path and query of the URL.
func (a attempt) path() string {
	path := resourcePath(a.version, a.kind)
	switch a.verb {
	case verbUpdate, verbRead, verbDelete:
		path += "/" + a.target
	case verbStatus:
		path += "/" + a.target + "/status"
	}
	return path + "?" + a.query
}

func resourcePath(version, kind string) string {
	return "/apis/" + flowcontrolv1.GroupName + "/" + version + "/" + strings.ToLower(kind) + "s"
}

func (a attempt) method() string {
	switch a.verb {
	case verbCreate:
		return http.MethodPost
	case verbRead:
		return http.MethodGet
	case verbDelete:
		return http.MethodDelete
	}
	return http.MethodPut
}

// body returns the bytes for a server with the given target.
func (a attempt) body(target identity) []byte {
	if a.tree == nil {
		return nil
	}
	if a.damage != nil {
		// Both servers get the same bytes, so that the damage is the same.
		target.UID = anyUID
	}
	body := a.form.encode(fillIn(a.tree, target), a.version, a.kind)
	return a.damage.do(body)
}

// String describes the attempt so that it can be repeated by hand.
func (a attempt) String() string {
	return fmt.Sprintf("%s %s\nContent-Type: %s\ndamage: %v\n%s", a.method(), a.path(), a.form.contentType, a.damage, a.tree)
}

// Placeholders for the identity of the target, which differs between the servers.
const (
	currentUID     = "UID-OF-THE-TARGET"
	currentVersion = "VERSION-OF-THE-TARGET"
	anyUID         = "5a1c5d5c-6f0f-4c64-9d0c-8e2f4c6d2b11"
)

// identity has the fields that a server assigns to an object.
type identity struct{ UID, ResourceVersion string }

func fillIn(tree []byte, target identity) []byte {
	return []byte(strings.NewReplacer(currentUID, target.UID, currentVersion, target.ResourceVersion).Replace(string(tree)))
}

// isReal reports whether the attempt writes, that is, is not a dry run.
func (a attempt) isReal() bool { return !strings.Contains(a.query, "dryRun=All") }
