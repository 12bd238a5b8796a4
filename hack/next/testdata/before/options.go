package options

const named = "name-in-a-constant"

func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Path, "path", o.Path, "The path.")
	fs.VarP(o.Level, "verbosity", "v", "The level.")
	fs.BoolVar(&o.Named, named, false, "A flag.")
	fs.BoolVar(&o.Gone, "leaves", false, "A flag.")
	o.Vary("not", "a-flag", "at all")
}
