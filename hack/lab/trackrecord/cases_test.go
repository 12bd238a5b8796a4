package trackrecord

// cases returns all cases, by number.
func cases() []Case {
	return []Case{
		caseNames1(),
		caseNames2(),
		caseNames3(),
		caseNames4(),
		case1040(),
		case4168(),
		case7372(),
		case10918(),
		case79805(),
		case85342(),
		case95212(),
		case95259(),
		case104596(),
		case105409(),
		case107964(),
		case109603(),
		case119799(),
		case121202(),
		case123206(),
		case124125(),
		case127029(),
		case129086(),
		case132233(),
		case134196(),
		case134580(),
		case138494(),
		case140884(),
		case141496(),
	}
}
