package trackrecord

// cases returns all cases, in the order of the page.
func cases() []Case {
	return []Case{
		case134196(),
		case138494(),
		case140884(),
		case141496(),
	}
}
