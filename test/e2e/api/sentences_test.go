package api

// sentence is one promise of the API's contract.
type sentence struct {
	// id is the name in cases: the section and one or two words.
	id, text string
	// tests names tests in other packages that prove the sentence: the folder, the
	// function, and after a slash the case, if there is one.
	tests []string
}

// section is a chapter of the contract.
type section struct {
	name      string
	sentences []sentence
}

// contract returns the promises of the API, for both resources in both versions.
func contract() []section {
	return []section{
		everywhere(), verbs(), versions(), representations(), lists(), gets(), watches(),
		patches(), applies(), dryRuns(), fieldValidations(), validations(), admissions(), selfReviews(),
	}
}

func everywhere() section {
	return section{"Everywhere", []sentence{
		{id: "everywhere.resources", text: "All below holds for FlowSchemas and for PriorityLevelConfigurations,", tests: []string{"test/e2e/fuzzparity TestKubeAPIServerAndThisServerJudgeAlike"}},
		{id: "everywhere.versions", text: "in `v1` and in `v1beta3`,", tests: []string{"test/e2e/api TestV1beta3BesideKubeAPIServer", "test/e2e/api TestBothVersionsAndStoresSayTheSame", "test/e2e/fuzzparity TestKubeAPIServerAndThisServerJudgeAlike"}},
		{id: "everywhere.stores", text: "on the embedded etcd and on an etcd cluster,", tests: []string{"test/e2e/api TestBothVersionsAndStoresSayTheSame", "test/e2e TestServer", "hack/lab/linearizability TestOperationsAreLinearizable"}},
		{id: "everywhere.ways", text: "directly and through kube-apiserver.", tests: []string{
			"test/e2e/api TestThroughKubeAPIServer", "test/e2e/registration TestOnTheStoreOfKubeAPIServer",
			"test/e2e/registration TestBothVersionsOfAKubeAPIServerWithoutFlowControl", "test/e2e/beside TestBesideKubeAPIServer",
		}},
	}}
}

func verbs() section {
	return section{"Verbs", []sentence{
		{id: "verbs.resource", text: "get, list, watch, create, update, patch, delete and deletecollection are served."},
		{id: "verbs.status", text: "get, update and patch are served on `/status`, and no other verb."},
		{id: "verbs.spec-ignores-status", text: "A write of the spec leaves the status alone."},
		{id: "verbs.status-ignores-spec", text: "A write of the status leaves the spec and all metadata but the managed fields alone."},
		{id: "verbs.generate-name", text: "A name is generated from `generateName`."},
		{id: "verbs.already-exists", text: "A name that is taken: 409 AlreadyExists."},
		{id: "verbs.generation", text: "`metadata.generation` starts at 1 and rises when the spec changes, and only then."},
		{id: "verbs.update-conflict", text: "An update that names another `resourceVersion` than the latest: 409 Conflict."},
		{id: "verbs.update-unconditional", text: "An update may leave `resourceVersion` out."},
		{id: "verbs.preconditions", text: "A deletion keeps its preconditions, `uid` and `resourceVersion`."},
		{id: "verbs.finalizers", text: "Finalizers delay a removal: a deletionTimestamp at once, gone when the last one goes."},
		{id: "verbs.propagation", text: "Orphan, foreground and background propagation are accepted. On a server alone each ends in the object gone at once; behind a kube-apiserver the cluster's garbage collector finishes.",
			tests: []string{"test/e2e/registration TestOnTheStoreOfKubeAPIServer"}},
		{id: "verbs.deletecollection", text: "A collection is deleted by selectors, with limits, and the answer shows what is gone."},
	}}
}

func versions() section {
	return section{"Versions", []sentence{
		{id: "versions.preferred", text: "`v1` is preferred and stored.", tests: []string{"test/e2e TestServer/objects are stored as v1 protobuf at their keys, and nothing elsewhere"}},
		{id: "versions.v1beta3", text: "`v1beta3` is served.", tests: []string{"test/e2e/api TestBothVersionsAndStoresSayTheSame"}},
		{id: "versions.warning", text: "Each answer of the API to a request in `v1beta3`, whatever its status, carries the deprecation as a `Warning` header, for either kind; what a filter refuses before that (401, 403, 429) and the upgrade to WebSocket do not.", tests: []string{"test/e2e/api TestBothVersionsAndStoresSayTheSame"}},
		{id: "versions.audit", text: "The audit event of a request in `v1beta3` says `k8s.io/deprecated` and the removed release.", tests: []string{"test/e2e TestServer/the deprecated version is announced, audited and counted"}},
		{id: "versions.metric", text: "`apiserver_requested_deprecated_apis` is 1 with `removed_release` once `v1beta3` was used.", tests: []string{"test/e2e TestServer/the deprecated version is announced, audited and counted"}},
		{id: "versions.switch", text: "`--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=false` turns it off.", tests: []string{"test/e2e TestVersionsSwitchedOff"}},
		{id: "versions.round-trip", text: "Every object survives v1, v1beta3, v1 and the reverse, explicit zero shares included, which an annotation keeps.", tests: []string{"pkg/apis/flowcontrol/install TestEveryVersionSurvivesTheOther", "test/e2e/roundtrip TestGeneratedObjectsSurviveBothVersionsAndTheStore"}},
		{id: "versions.writers", text: "Clients of both versions write one object as two clients of one version do.", tests: []string{"hack/lab/linearizability TestOperationsAreLinearizable"}},
		{id: "versions.defaults", text: "Omitted fields get the defaults of their own version.", tests: []string{"pkg/apis/flowcontrol/install TestDefaultShares", "pkg/apis/flowcontrol/install TestDefaultPrecedence"}},
	}}
}

func representations() section {
	return section{"Representations", []sentence{
		{id: "repr.json", text: "JSON is read and written."},
		{id: "repr.yaml", text: "YAML is read and written."},
		{id: "repr.protobuf", text: "Protobuf is read and written."},
		{id: "repr.table", text: "`Table` is served in v1 and v1beta1, with `includeObject`."},
		{id: "repr.columns-schema", text: "The columns of a FlowSchema are Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL."},
		{id: "repr.columns-level", text: "The columns of a PriorityLevelConfiguration are Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age."},
		{id: "repr.partial", text: "`PartialObjectMetadata` and its list are served."},
		{id: "repr.406", text: "A type that is not offered: 406."},
		{id: "repr.415", text: "A type of body that is not understood: 415."},
		{id: "repr.gzip", text: "Large answers are compressed with gzip when the client takes that."},
		{id: "repr.kubectl", text: "kubectl get, describe, explain --recursive, diff, wait, apply, edit, patch, replace and delete work.", tests: []string{"test/e2e TestServer/kubectl does all it can do with a resource", "test/e2e/registration TestOnTheStoreOfKubeAPIServer/both versions taken over", "test/e2e/roundtrip TestExamplesAndBuiltInObjectsSurviveKubectl"}},
		{id: "repr.discovery", text: "Discovery is served aggregated and unaggregated."},
		{id: "repr.health", text: "`/livez`, `/readyz` and `/healthz`, and a path for each of their checks."},
		{id: "repr.openapi", text: "OpenAPI v2 and v3 describe every field, with list and map types for apply."},
	}}
}

func lists() section {
	return section{"List", []sentence{
		{id: "list.chunks", text: "`limit` and `continue` give a list in chunks of one snapshot, whatever is written between."},
		{id: "list.remaining", text: "`remainingItemCount` says what is left, and is absent with selectors."},
		{id: "list.expired-token", text: "A token older than compaction: 410 Expired with a fresh token, which continues inconsistently."},
		{id: "list.broken-token", text: "A broken token: 400."},
		{id: "list.labels", text: "Lists are selected by labels."},
		{id: "list.fields", text: "Lists are selected by the field `metadata.name`; another field: 400 that names what is supported."},
		{id: "list.rv-unset", text: "Match unset, no paging: rv unset is the most recent, \"0\" any, N not older than N."},
		{id: "list.rv-limit", text: "Match unset, with a limit: rv unset is the most recent, \"0\" any, N exactly N."},
		{id: "list.rv-continue", text: "Match unset, with a token: rv unset and \"0\" are the token's, N: 400."},
		{id: "list.rv-exact", text: "Match Exact: rv unset and \"0\": 422, N exactly N."},
		{id: "list.rv-not-older", text: "Match NotOlderThan: rv unset: 422, \"0\" any, N not older than N."},
		{id: "list.future", text: "A version from the future: 504 Timeout, \"Too large resource version\", with retry details."},
		{id: "list.compacted", text: "A version compacted away: 410."},
	}}
}

func gets() section {
	return section{"Get", []sentence{
		{id: "get.unset", text: "rv unset: the most recent."},
		{id: "get.zero", text: "rv \"0\": any."},
		{id: "get.not-older", text: "rv N: not older than N."},
	}}
}

func watches() section {
	return section{"Watch", []sentence{
		{id: "watch.unset", text: "From unset: the state, then what is new."},
		{id: "watch.zero", text: "From \"0\": any state, then what is new."},
		{id: "watch.exact", text: "From N: exactly what came after N."},
		{id: "watch.compacted", text: "From a version compacted away: 410."},
		{id: "watch.bookmarks", text: "Bookmarks come when asked for."},
		{id: "watch.initial-events", text: "`sendInitialEvents` gives the state, closed by a bookmark annotated `k8s.io/initial-events-end`."},
		{id: "watch.timeout", text: "`timeoutSeconds` ends a watch."},
		{id: "watch.selectors", text: "Watches are selected; an object that stops matching is DELETED to that watcher."},
		{id: "watch.json", text: "Events come in JSON."},
		{id: "watch.protobuf", text: "Events come in protobuf."},
		{id: "watch.websocket", text: "Events come over WebSocket."},
		{id: "watch.model", text: "No event is lost, doubled or out of order for any client, across reconnects, however many and slow the watchers.", tests: []string{"test/e2e/watchmodel TestWatchersSeeTheTruth"}},
	}}
}

func patches() section {
	return section{"Patches", []sentence{
		{id: "patch.json", text: "JSON Patch."},
		{id: "patch.merge", text: "JSON Merge Patch."},
		{id: "patch.strategic", text: "Strategic Merge Patch, with the merge keys of the published schema."},
		{id: "patch.apply", text: "Apply."},
		{id: "patch.missing", text: "A patch of a missing object: 404; Apply creates it."},
		{id: "patch.retry", text: "A patch that meets conflicts is tried again.", tests: []string{"test/e2e TestServer/patches that meet each other are tried again"}},
		{id: "patch.malformed", text: "A malformed patch: 400."},
		{id: "patch.impossible", text: "A well-formed patch that is impossible: 422."},
	}}
}

func applies() section {
	return section{"Server-side apply", []sentence{
		{id: "apply.manager", text: "`fieldManager` is required: 422 without."},
		{id: "apply.managed-fields", text: "Ownership is recorded in `managedFields` as FieldsV1, per version and subresource."},
		{id: "apply.conflict", text: "Changing a field that another owns: 409 that lists each field and its owner."},
		{id: "apply.force", text: "`force=true` takes it."},
		{id: "apply.give-up", text: "Leaving a field out gives it up, and removes it when nobody else owns it."},
		{id: "apply.share", text: "Two managers that agree share a field."},
		{id: "apply.update-entry", text: "Other verbs record an Update entry, under the given or the user agent's manager."},
		{id: "apply.clear", text: "`managedFields: [{}]`, or `[]`, clears the record."},
		{id: "apply.no-managed-fields", text: "An applied object may not carry managedFields."},
		{id: "apply.lists", text: "Lists merge or are replaced as their published list types say."},
		{id: "apply.reset", text: "Writes of the spec do not own the status, and the reverse."},
		{id: "apply.upgrade", text: "Upgrading from client-side apply and back keeps working.", tests: []string{"test/e2e TestServer/client-side apply is upgraded to server-side apply and back"}},
	}}
}

func dryRuns() section {
	return section{"Dry run", []sentence{
		{id: "dry.same", text: "`dryRun=All` on every verb that writes: the same defaults, validation, conflicts and answer."},
		{id: "dry.nothing", text: "Nothing is stored, no watcher told, no version consumed, the engine unchanged.", tests: []string{"test/e2e TestServer/a dry run moves nothing"}},
		{id: "dry.value", text: "Any other value: 422."},
	}}
}

func fieldValidations() section {
	return section{"Field validation", []sentence{
		{id: "fields.ignore", text: "Ignore drops unknown and duplicate fields in silence."},
		{id: "fields.warn", text: "Warn, the default, gives one `Warning` header for each."},
		{id: "fields.strict", text: "Strict: 400 that names each; of a patch, which is well-formed and impossible, 422 that names each."},
	}}
}

func validations() section {
	return section{"Validation", []sentence{
		{id: "valid.parity", text: "The same verdict, reason and failing fields as kube-apiserver for any object.", tests: []string{"test/parity TestKubernetesAndThisServerAgree", "test/e2e/fuzzparity TestKubeAPIServerAndThisServerJudgeAlike"}},
		{id: "valid.invalid", text: "422 Invalid with one cause for each failure."},
		{id: "valid.bad-body", text: "Bad JSON, YAML or protobuf and truncated bodies: always a Status, never a 500."},
		{id: "valid.too-large", text: "A body over the limit: 413."},
		{id: "valid.wrong-kind", text: "Another kind or apiVersion: 400."},
		{id: "valid.wrong-name", text: "Names in URL and body that differ: 400."},
		{id: "valid.wild", text: "Deep nesting and huge numbers: a Status, never a 500, nothing stored."},
		{id: "valid.advice-level", text: "Advice on an update: the priority level that a schema names does not exist.", tests: []string{"test/e2e TestServer/advice comes on every write that changes the spec, and of a missing level on every update"}},
		{id: "valid.advice-never", text: "Advice: a schema can never match, because an earlier one takes all that it would.", tests: []string{"test/e2e TestServer/advice tells of schemas that never match"}},
		{id: "valid.advice-overlap", text: "Advice: another schema has the same precedence and overlaps.", tests: []string{"test/e2e TestServer/advice tells of schemas of one precedence"}},
		{id: "valid.advice-only", text: "Advice never refuses.", tests: []string{"test/e2e TestServer/advice comes on every write that changes the spec, and of a missing level on every update"}},
	}}
}

func admissions() section {
	return section{"Admission", []sentence{
		{id: "admission.cluster", text: "Webhooks and policies of the kube-apiserver in front apply to these resources.", tests: []string{"test/e2e/beside TestBesideKubeAPIServer/the cluster decides who may do what"}},
		{id: "admission.flags", text: "`--enable-admission-plugins` and `--disable-admission-plugins` work.", tests: []string{"test/e2e/beside TestBesideKubeAPIServer/the cluster decides who may do what"}},
	}}
}

func selfReviews() section {
	return section{"Self-reviews, without a kube-apiserver in front", []sentence{
		{id: "reviews.who", text: "SelfSubjectReview says who the client is."},
		{id: "reviews.access", text: "SelfSubjectAccessReview says whether the client may do something, as the authorizer of requests decides."},
		{id: "reviews.rules", text: "SelfSubjectRulesReview lists what the client may do; with a webhook the list is incomplete, and says so.", tests: []string{"pkg/server/identity TestTheListOfWhatAUserMayDoIsTrue", "pkg/server/identity TestTheListIsIncompleteWithAWebhook"}},
		{id: "reviews.create-only", text: "They can only be created, by any authenticated user, and nothing is stored.", tests: []string{"test/e2e TestWhoMayAskWhat"}},
		{id: "reviews.switch", text: "`--runtime-config` switches them off. Behind a kube-apiserver they are its own, and this server has none of their groups.",
			tests: []string{"test/e2e TestVersionsSwitchedOff", "test/e2e/beside TestBesideKubeAPIServer/self-reviews are kube-apiserver's own"}},
		{id: "reviews.requests", text: "They are audited and governed by flow control, as other requests are.",
			tests: []string{"test/e2e/serving TestServerThatIsObserved/a self-review is audited as other requests are", "test/e2e TestServer/a level that is full rejects",
				"test/e2e/api TestFlowControlHeadersAreThoseOfKubeAPIServer"}},
	}}
}
