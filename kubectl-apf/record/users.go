package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Users says who sent requests whose source names no user. The first entry that matches
// decides.
type Users struct {
	Users []User `yaml:"users"`
}

// User is an entry of Users. A pattern may have * for any text without slashes and ? for
// any character but a slash; an empty pattern matches everything.
type User struct {
	// UserAgent is a pattern of the first word of the user agent, up to its first slash:
	// the name of a program.
	UserAgent string `yaml:"userAgent"`
	// SourceIP is a pattern of the address of the client.
	SourceIP string `yaml:"sourceIP"`
	User     string `yaml:"user"`
	// If Groups are not set, the name implies them.
	Groups []string `yaml:"groups"`
}

// ReadUsers reads Users from a file of YAML. Errors name the line.
func ReadUsers(name string) (*Users, error) {
	content, err := plain.ReadFile(name)
	if err != nil {
		return nil, err
	}
	u := &Users{}
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(u); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s", name, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	for i, user := range u.Users {
		_, badAgent := path.Match(user.UserAgent, "")
		_, badAddress := path.Match(user.SourceIP, "")
		switch {
		case user.User == "":
			return nil, fmt.Errorf("%s: users[%d].user is empty, must be set", name, i)
		case user.UserAgent == "" && user.SourceIP == "":
			return nil, fmt.Errorf("%s: users[%d] must have userAgent or sourceIP", name, i)
		case badAgent != nil || badAddress != nil:
			return nil, fmt.Errorf("%s: users[%d] has an invalid pattern, must have an end for each bracket", name, i)
		}
	}
	return u, nil
}

// of returns the user of a request and their groups; "" if it is unknown.
func (u *Users) of(agent, address string) (name string, groups []string) {
	if u != nil {
		program, _, _ := strings.Cut(agent, "/")
		for _, user := range u.Users {
			if matches(user.UserAgent, program) && matches(user.SourceIP, address) {
				name, groups = user.User, user.Groups
				break
			}
		}
	}
	if name == "" {
		name, groups = component(agent, address)
	}
	if name != "" && groups == nil {
		groups = trace.WellKnownGroups(name)
	}
	return name, groups
}

func matches(pattern, text string) bool {
	matched, _ := path.Match(pattern, text)
	return pattern == "" || matched
}

// component returns the user of a component of Kubernetes, by its user agent:
// PROGRAM/VERSION (PLATFORM) kubernetes/COMMIT/COMMENT.
func component(agent, address string) (name string, groups []string) {
	const account = "/system:serviceaccount:"
	if at := strings.Index(agent, account); at >= 0 {
		name, _, _ = strings.Cut(agent[at+1:], "/")
		return name, nil
	}
	program, _, _ := strings.Cut(agent, "/")
	switch program {
	case "kube-scheduler", "kube-controller-manager":
		return "system:" + program, nil
	case "kube-apiserver":
		return "system:apiserver", []string{"system:masters", "system:authenticated"}
	case "kubelet":
		if address != "" {
			return "system:node:" + address, nil
		}
	}
	return "", nil
}
