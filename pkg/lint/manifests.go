package lint

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

// rejectedSchema is FC405, without the errors of fields that have findings already.
func rejectedSchema(schema *flowcontrolv1.FlowSchema, found []Finding) []Finding {
	var internal flowcontrol.FlowSchema
	if err := conversion.Convert_v1_FlowSchema_To_flowcontrol_FlowSchema(schema, &internal, nil); err != nil {
		return nil // a conversion between types of the same memory layout
	}
	prepare(&internal.ObjectMeta)
	internal.Status = flowcontrol.FlowSchemaStatus{}
	return rejected(schemaObject(schema.Name), validation.ValidateFlowSchema(&internal), found)
}

// rejectedLevel is FC405.
func rejectedLevel(level *flowcontrolv1.PriorityLevelConfiguration) []Finding {
	var internal flowcontrol.PriorityLevelConfiguration
	if err := conversion.Convert_v1_PriorityLevelConfiguration_To_flowcontrol_PriorityLevelConfiguration(level, &internal, nil); err != nil {
		return nil // a conversion between types of the same memory layout
	}
	prepare(&internal.ObjectMeta)
	internal.Status = flowcontrol.PriorityLevelConfigurationStatus{}
	return rejected(levelObject(level.Name), validation.ValidatePriorityLevelConfiguration(&internal), nil)
}

func rejected(object Object, errs field.ErrorList, found []Finding) []Finding {
	fields := make([]string, len(found))
	for i, f := range found {
		fields[i] = f.Field
	}
	slices.Sort(fields)
	var findings []Finding
	for _, err := range errs {
		at, _ := slices.BinarySearch(fields, err.Field) // the first that may begin with it
		if at == len(fields) || !strings.HasPrefix(fields[at], err.Field) {
			findings = append(findings, finding(InvalidObject, object, err.Field,
				fmt.Sprintf("The server rejects this object: %s.", strings.TrimSuffix(err.ErrorBody(), ".")), "Correct the field."))
		}
	}
	return findings
}

const groupName = flowcontrolv1.GroupName

// betterVersion is the version to use instead of any other, which kube-apiserver serves since
// minor release betterSince.
const (
	betterVersion = groupName + "/v1"
	betterSince   = 29
)

// lifetime are the first minor releases of kube-apiserver 1.x that deprecate a version, and do not
// serve it.
type lifetime struct{ deprecated, removed int }

// lifetimeOf returns the lifetime of a version of the API group, and false for v1 and
// unknown versions.
func lifetimeOf(version string) (lifetime, bool) {
	found, ends := map[string]lifetime{"v1alpha1": {20, 24}, "v1beta1": {23, 26}, "v1beta2": {26, 29}, "v1beta3": {29, 32}}[version]
	return found, ends
}

// judgeDocuments judges the manifests.
func (j *judge) judgeDocuments() {
	for i := range j.Documents {
		document := &j.Documents[i]
		j.add(j.versionFindings(document)...)
		for _, field := range document.UnknownFields {
			j.add(unknownField(document.Object, field))
		}
	}
}

// versionFindings are FC401 and FC402.
func (j *judge) versionFindings(document *Document) []Finding {
	group, version := path.Split(document.APIVersion)
	if group != groupName+"/" {
		return nil
	}
	lifetime, ends := lifetimeOf(version)
	release := minor(j.Release)
	isServed := slices.Contains(j.Facts.ServedVersions, version)
	if j.Facts.ServedVersions == nil {
		isServed = !ends && version == "v1" || ends && (release == 0 || release < lifetime.removed)
	}
	const remedy = "Write apiVersion: " + betterVersion
	switch {
	case !isServed:
		where := "This API server"
		if j.Facts.ServedVersions == nil && release > 0 {
			where = "Kubernetes " + j.Release
		}
		return []Finding{finding(RemovedAPIVersion, document.Object, "apiVersion", fmt.Sprintf("%s does not serve %s.", where, document.APIVersion), remedy+".")}
	case ends && (release == 0 || release >= lifetime.deprecated):
		return []Finding{finding(DeprecatedVersion, document.Object, "apiVersion",
			fmt.Sprintf("%s is deprecated, and kube-apiserver does not serve it from 1.%d on.", document.APIVersion, lifetime.removed),
			fmt.Sprintf("%s, which kube-apiserver serves from 1.%d on.", remedy, betterSince))}
	default:
		return nil
	}
}

// minor returns the minor release of 1.MINOR, or 0.
func minor(release string) int {
	rest, _ := strings.CutPrefix(release, "1.")
	number, err := strconv.Atoi(rest)
	if err != nil {
		return 0
	}
	return number
}

// unknownField is FC403 or FC404.
func unknownField(object Object, field string) Finding {
	if strings.HasSuffix(field, "assuredConcurrencyShares") {
		return finding(RenamedField, object, field, "This API version has no field assuredConcurrencyShares, so the level gets the default of 30 shares.",
			"Rename the field to nominalConcurrencyShares.")
	}
	return finding(UnknownField, object, field, "This API version does not have the field, so the server drops or rejects it.", "Correct the name, or remove the field.")
}
