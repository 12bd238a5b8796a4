package features

const (
	Stays featuregate.Feature = "Stays"
	Rises featuregate.Feature = "RisesByAnotherName"
	Goes  featuregate.Feature = "Goes"
)

var versioned = map[featuregate.Feature]featuregate.VersionedSpecs{
	Stays: {
		{Version: version.MustParse("1.0"), Default: true, PreRelease: featuregate.Beta},
	},
	Rises: {
		{Version: version.MustParse("1.35"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Beta},
	},
}

var plain = map[featuregate.Feature]featuregate.FeatureSpec{
	Goes: {Default: true, LockToDefault: true, PreRelease: featuregate.GA},
}
