package options

const named = "name-in-a-constant"

func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Path, "path", o.Path, "The path.")
	fs.MarkDeprecated("path", "it has no effect")
	fs.VarP(o.Level, "verbosity", "v", "The level.")
	fs.BoolVar(&o.Named, named, false, "A flag.")
	fs.Var(cliflag.New(&o.Curves), "curves", "A list.")
}
