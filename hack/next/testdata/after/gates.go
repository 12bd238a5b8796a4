package features

const (
	Stays featuregate.Feature = "Stays"
	Rises featuregate.Feature = "RisesByAnotherName"
)

var versioned = map[featuregate.Feature]featuregate.VersionedSpecs{
	Stays: {
		{Version: version.MustParse("1.0"), Default: true, PreRelease: featuregate.Beta},
	},
	Rises: {
		{Version: version.MustParse("1.35"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta},
	},
	others.Comes: {
		{Version: version.MustParse("1.37"), PreRelease: featuregate.Alpha},
	},
}

var unrelated = map[string]Specification{"no-gate": {PreRelease: "none"}}
