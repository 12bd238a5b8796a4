package command

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/kubectl"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// served returns the resources that the cluster serves. Without a cluster, they are
// Kubernetes' own, and the ones that arguments and files of kubectl name. The names of the
// latter are returned too.
func (e *explainCommand) served(args []string, stdin []byte) (lists []*metav1.APIResourceList, inferred []string, err error) {
	if e.looking.isOffline() {
		lists, inferred = inferredBy(args, stdin)
		return lists, inferred, nil
	}
	client, err := e.looking.cluster.ToDiscoveryClient()
	if err != nil {
		return nil, nil, err
	}
	_, lists, err = client.ServerGroupsAndResources()
	if len(lists) > 0 {
		err = nil // some groups are better than none
	}
	return lists, nil, err
}

// inferredBy returns the resources of Kubernetes, and the named ones of other API groups.
func inferredBy(args []string, stdin []byte) (lists []*metav1.APIResourceList, inferred []string) {
	lists = discovery.BuiltIn()
	known := len(lists)
	add := func(r schema.GroupVersionResource, singular, kind string) {
		ofGroup := func(list *metav1.APIResourceList) bool { return strings.HasPrefix(list.GroupVersion, r.Group+"/") }
		if strings.Contains(r.Group, ".") && !slices.ContainsFunc(lists[:known], ofGroup) && !slices.Contains(inferred, r.GroupResource().String()) {
			lists, inferred = kubectl.Add(lists, r, singular, kind), append(inferred, r.GroupResource().String())
		}
	}
	for _, kind := range kindsOf(args, stdin) {
		plural, singular := meta.UnsafeGuessKindToResource(kind)
		add(plural, singular.Resource, kind.Kind)
	}
	mapper := explain.Offline()
	for _, word := range args {
		types, _, _ := strings.Cut(word, "/")
		for name := range strings.SplitSeq(types, ",") {
			if r, err := mapper.Find(name); err == nil && r.Inferred {
				add(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}, "", r.Resource)
			}
		}
	}
	return lists, inferred
}

// kindsOf returns the kinds of the objects in the files of -f and -k. What cannot be read is
// left out: kubectl says so.
func kindsOf(args []string, stdin []byte) []schema.GroupVersionKind {
	set := pflag.NewFlagSet("files", pflag.ContinueOnError)
	set.ParseErrorsAllowlist.UnknownFlags = true
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	var options resource.FilenameOptions
	set.StringSliceVarP(&options.Filenames, "filename", "f", nil, "")
	set.StringVarP(&options.Kustomize, "kustomize", "k", "", "")
	set.BoolVarP(&options.Recursive, "recursive", "R", false, "")
	_ = set.Parse(args)
	files := resource.NewLocalBuilder().Unstructured().ContinueOnError().Flatten()
	if n := len(options.Filenames); n > 0 {
		options.Filenames = slices.DeleteFunc(options.Filenames, func(name string) bool { return name == "-" })
		if len(options.Filenames) < n {
			files = files.Stream(bytes.NewReader(stdin), "standard input")
		}
	}
	if len(options.Filenames) > 0 || options.Kustomize != "" {
		files = files.FilenameParam(false, &options)
	}
	infos, _ := files.Do().Infos()
	var kinds []schema.GroupVersionKind
	for _, info := range infos {
		kinds = append(kinds, info.Object.GetObjectKind().GroupVersionKind())
	}
	return kinds
}
