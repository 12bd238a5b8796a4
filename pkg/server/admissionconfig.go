package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/configversion"
)

// policyConfiguration is the gate of the release whose policy plug-ins began to read a
// configuration. Before, the library ignores theirs, and unknown fields of the webhooks'.
const policyConfiguration featuregate.Feature = "ManifestBasedAdmissionControlConfig"

// checkAdmissionConfiguration returns what of --admission-control-config-file the library would
// ignore, and an unreadable file, where it would exit without a word of the flag.
func checkAdmissionConfiguration(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	object, err := runtime.Decode(strict(scheme), data)
	if err != nil {
		return configversion.Explain(err)
	}
	configuration, ok := object.(*apiserver.AdmissionConfiguration)
	if !ok {
		return fmt.Errorf("must contain an AdmissionConfiguration, but contains another kind (%T)", object)
	}
	var errs []error
	for i := range configuration.Plugins {
		if err := checkPlugin(&configuration.Plugins[i], filepath.Dir(file)); err != nil {
			errs = append(errs, fmt.Errorf("plugins[%d], %s: %w", i, configuration.Plugins[i].Name, err))
		}
	}
	return errors.Join(errs...)
}

// checkPlugin checks the configuration of one plug-in. Plug-ins that this server does not have are
// for kube-apiserver, which may use the same file.
func checkPlugin(plugin *apiserver.AdmissionPluginConfiguration, folder string) error {
	webhooks := []string{mutatingwebhook.PluginName, validatingwebhook.PluginName}
	policies := []string{mutatingpolicy.PluginName, validatingpolicy.PluginName}
	if !slices.Contains(webhooks, plugin.Name) && !slices.Contains(policies, plugin.Name) {
		return nil
	}
	data, err := pluginData(plugin, folder)
	switch _, known := utilfeature.DefaultMutableFeatureGate.GetAll()[policyConfiguration]; {
	case err != nil || len(data) == 0:
		return err
	case known:
		return nil // the library reads it strictly
	case slices.Contains(policies, plugin.Name):
		return configversion.Newer("configuration", "1.36")
	}
	scheme := runtime.NewScheme()
	for _, add := range webhookVersions() {
		if err := add(scheme); err != nil {
			return err
		}
	}
	_, err = runtime.Decode(strict(scheme), data)
	return configversion.Explain(err)
}

// pluginData returns the configuration in the file, or in the file that it names.
func pluginData(plugin *apiserver.AdmissionPluginConfiguration, folder string) ([]byte, error) {
	switch {
	case plugin.Configuration != nil:
		return plugin.Configuration.Raw, nil
	case plugin.Path == "":
		return nil, nil
	case !filepath.IsAbs(plugin.Path):
		return os.ReadFile(filepath.Join(folder, plugin.Path))
	}
	return os.ReadFile(plugin.Path)
}

// strict returns a decoder of all versions that returns an error for unknown fields.
func strict(scheme *runtime.Scheme) runtime.Decoder {
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
}
