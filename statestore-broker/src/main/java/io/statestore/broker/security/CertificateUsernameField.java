package io.statestore.broker.security;

/** Field of a client certificate that contains the name of the principal. */
public enum CertificateUsernameField {

	/** The common name (CN) of the subject. */
	COMMON_NAME,

	/** The entire subject in the form of RFC 2253, such as {@code CN=press-1,O=Plant}. */
	SUBJECT,

	/** The subject alternative name of type DNS. */
	DNS,

	/** The subject alternative name of type URI. */
	URI,

	/** The subject alternative name of type email (RFC 822). */
	EMAIL

}
