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

// verb is the way in which an object is sent.
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
	// kind is the one of the URL; that of the object may be another.
	kind string
	// version is the one in which this server gets it; the peer gets v1.
	version string
	// target is the name in the URL of an update.
	target string
	// query follows the path; it may be empty.
	query string
	form  form
	// damage is done to the bytes; nil does none.
	damage *damage
	// tree is the object, as JSON, in version.
	tree []byte
}

// in is the attempt as it is made in another version.
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

// path is the path of the URL and its query.
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

// body is what is sent to a server on which the target is the given one.
func (a attempt) body(target identity) []byte {
	if a.tree == nil {
		return nil
	}
	if a.damage != nil {
		// The same bytes for both, so that the damage does the same to both.
		target.UID = anyUID
	}
	body := a.form.encode(fillIn(a.tree, target), a.version, a.kind)
	return a.damage.do(body)
}

// String is enough to make the attempt again by hand.
func (a attempt) String() string {
	return fmt.Sprintf("%s %s\nContent-Type: %s\ndamage: %v\n%s", a.method(), a.path(), a.form.contentType, a.damage, a.tree)
}

// What stands for the identity of the target, which each server has its own of.
const (
	currentUID     = "UID-OF-THE-TARGET"
	currentVersion = "VERSION-OF-THE-TARGET"
	anyUID         = "5a1c5d5c-6f0f-4c64-9d0c-8e2f4c6d2b11"
)

// identity is what a server gave an object.
type identity struct{ UID, ResourceVersion string }

func fillIn(tree []byte, target identity) []byte {
	return []byte(strings.NewReplacer(currentUID, target.UID, currentVersion, target.ResourceVersion).Replace(string(tree)))
}

// isReal tells whether something is written.
func (a attempt) isReal() bool { return !strings.Contains(a.query, "dryRun=All") }
