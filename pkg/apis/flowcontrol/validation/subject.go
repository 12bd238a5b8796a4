package validation

import (
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

func validateSubject(subject *flowcontrol.Subject, path *field.Path) field.ErrorList {
	userPath, groupPath, accountPath := path.Child("user"), path.Child("group"), path.Child("serviceAccount")
	switch subject.Kind {
	case flowcontrol.SubjectKindUser:
		errs := validateUser(subject.User, userPath)
		errs = append(errs, forbiddenMember(subject.Group, groupPath, "may only be specified when `kind` is 'Group'")...)
		return append(errs, forbiddenMember(subject.ServiceAccount, accountPath, "may only be specified when `kind` is 'ServiceAccount'")...)
	case flowcontrol.SubjectKindGroup:
		errs := validateGroup(subject.Group, groupPath)
		errs = append(errs, forbiddenMember(subject.User, userPath, "may only be specified when `kind` is 'User'")...)
		return append(errs, forbiddenMember(subject.ServiceAccount, accountPath, "may only be specified when `kind` is 'ServiceAccount'")...)
	case flowcontrol.SubjectKindServiceAccount:
		errs := validateServiceAccount(subject.ServiceAccount, accountPath)
		errs = append(errs, forbiddenMember(subject.User, userPath, "may only be specified when `kind` is 'User'")...)
		return append(errs, forbiddenMember(subject.Group, groupPath, "may only be specified when `kind` is 'Group'")...)
	}
	// Which member is the right one is unknown, so that none is a fault.
	return field.ErrorList{field.NotSupported(path.Child("kind"), subject.Kind, []flowcontrol.SubjectKind{
		flowcontrol.SubjectKindGroup,
		flowcontrol.SubjectKindServiceAccount,
		flowcontrol.SubjectKindUser,
	})}
}

func validateUser(user *flowcontrol.UserSubject, path *field.Path) field.ErrorList {
	switch {
	case user == nil:
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'User'")}
	case user.Name == "":
		return field.ErrorList{field.Required(path.Child("name"), "must be '*' or the name of a user")}
	}
	return nil
}

func validateGroup(group *flowcontrol.GroupSubject, path *field.Path) field.ErrorList {
	switch {
	case group == nil:
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'Group'")}
	case group.Name == "":
		return field.ErrorList{field.Required(path.Child("name"), "must be '*' or the name of a group")}
	}
	return nil
}

func validateServiceAccount(account *flowcontrol.ServiceAccountSubject, path *field.Path) field.ErrorList {
	if account == nil {
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'ServiceAccount'")}
	}
	var errs field.ErrorList
	switch account.Name {
	case "":
		errs = append(errs, field.Required(path.Child("name"), "must be '*' or the name of a service account"))
	case flowcontrol.NameAll:
	default:
		errs = append(errs, invalid(path.Child("name"), account.Name, apimachineryvalidation.ValidateServiceAccountName(account.Name, false))...)
	}
	if account.Namespace == "" {
		return append(errs, field.Required(path.Child("namespace"), "must be the namespace of the service account"))
	}
	return append(errs, invalid(path.Child("namespace"), account.Namespace, apimachineryvalidation.ValidateNamespaceName(account.Namespace, false))...)
}
