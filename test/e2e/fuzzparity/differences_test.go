package fuzzparity

// excuse makes two verdicts the same that differ by intent.
func excuse(v *verdicts) {
}
