package lint

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// prepare makes of an object's metadata what the server validates at a create: it sets or
// drops these fields, whatever a client sends (rest.BeforeCreate, FillObjectMetaSystemFields,
// the strategies and the field manager).
func prepare(metadata *metav1.ObjectMeta) {
	metadata.Namespace = ""
	metadata.Generation = 1
	metadata.ManagedFields = nil
	metadata.UID = ""
	metadata.CreationTimestamp = metav1.Time{}
	metadata.DeletionTimestamp = nil
	metadata.DeletionGracePeriodSeconds = nil
}
