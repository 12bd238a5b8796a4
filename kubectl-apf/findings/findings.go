// Package findings judges a whole configuration with package lint: a cluster's, a set of files, or
// a cluster's if files were applied to it.
//
// With files, only findings about their objects are returned; the rest of the
// configuration is what they are judged against.
//
// The JSON form of Result is stable: fields are added, but not renamed or removed.
package findings

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Result are the findings about a configuration.
type Result struct {
	// Findings are sorted by severity, code and object.
	Findings []lint.Finding `json:"findings"`
	// Errors, Warnings and Infos are their numbers.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	// Checked is the number of objects that were judged.
	Checked int `json:"checked"`
	// Notes are sentences about what was inferred instead of read.
	Notes []string `json:"notes,omitempty"`
}

// Input is what is known of a configuration.
type Input struct {
	// Below is the configuration below the files.
	Below configuration.Configuration
	// Files are merged over it. If there are none, the whole configuration is judged.
	Files source.Files
	Facts source.Facts
	// Now decides which objects have expired.
	Now time.Time
	// Read passes the requests of logs, and waits in logs of clients, to a Traffic; nil
	// without logs. It returns sentences about what they leave out.
	Read func(*Traffic) ([]string, error)
}

var errNothing = errors.New("the saved API responses have no flow schema and no priority level, so there is nothing to check: add them with -f")

// Of judges a configuration. It is an error if its release is unknown.
func Of(in Input) (Result, error) {
	if in.Below.Assumed && len(in.Files.Objects) == 0 && in.Read == nil {
		return Result{}, errNothing
	}
	defaults, err := configuration.BuiltIn(in.Below.Release)
	if err != nil {
		return Result{}, err
	}
	whole := in.Below.Overlay(in.Files.FlowSchemas(), in.Files.PriorityLevels())
	if whole.Total <= 0 {
		whole.Total = configuration.DefaultTotal // and a note of the configuration says so
	}
	out := Result{Findings: []lint.Finding{}, Checked: len(whole.FlowSchemas) + len(whole.PriorityLevels)}
	bundle := lint.Bundle{
		FlowSchemas: whole.FlowSchemas, PriorityLevels: whole.PriorityLevels,
		Defaults: lint.Defaults{FlowSchemas: defaults.FlowSchemas, PriorityLevels: defaults.PriorityLevels},
		Total:    whole.Total, Release: string(whole.Release), Facts: in.facts(), Now: in.Now,
	}
	if len(in.Files.Objects) > 0 {
		out.Checked = len(in.Files.Objects)
		for _, o := range in.Files.Objects {
			object := lint.Object{Kind: o.Kind(), Name: o.Name()}
			bundle.Documents = append(bundle.Documents, lint.Document{Object: object, APIVersion: o.APIVersion, UnknownFields: o.UnknownFields})
			bundle.Only = append(bundle.Only, object)
		}
	}
	notes, err := in.readTraffic(whole, &bundle.Facts)
	if err != nil {
		return Result{}, err
	}
	out.add(lint.Check(bundle))
	out.Notes = slices.Concat(whole.Notes, in.Files.Notes, notes)
	for _, missing := range in.Facts.Missing {
		out.Notes = append(out.Notes, missing.What+": "+missing.Why)
	}
	return out, nil
}

// facts returns what is known of the cluster if the files were applied to it.
func (in *Input) facts() lint.Facts {
	out, files := in.Facts.Facts, &in.Files
	if out.Namespaces != nil {
		out.Namespaces = slices.Concat(out.Namespaces, files.Namespaces)
	}
	if out.ServiceAccounts != nil {
		out.ServiceAccounts = maps.Clone(out.ServiceAccounts)
		for namespace, names := range files.ServiceAccounts {
			out.ServiceAccounts[namespace] = slices.Concat(out.ServiceAccounts[namespace], names)
		}
	}
	return out
}

// readTraffic reads the logs, and adds what they tell to the facts.
func (in *Input) readTraffic(c configuration.Configuration, facts *lint.Facts) ([]string, error) {
	if in.Read == nil {
		return nil, nil
	}
	traffic := NewTraffic(c)
	notes, err := in.Read(traffic)
	if err != nil {
		return nil, err
	}
	facts.Traffic = traffic.Result()
	return append(traffic.Notes(), notes...), nil
}

func (r *Result) add(found []lint.Finding) {
	r.Findings = append(r.Findings, found...)
	for _, finding := range found {
		switch finding.Severity {
		case lint.Error:
			r.Errors++
		case lint.Warning:
			r.Warnings++
		case lint.Info:
			r.Infos++
		}
	}
}

// Reaches reports whether a finding is at least as severe as the threshold.
func (r *Result) Reaches(threshold lint.Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Severity.AtLeast(threshold) })
}
