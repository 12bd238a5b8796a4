package identity

// Validate refuses flags that contradict each other or that no server can mean.
func (o *Options) Validate() []error {
	errs := o.Authentication.Validate()
	errs = append(errs, o.Authorization.Validate()...)
	return errs
}
