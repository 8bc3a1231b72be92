package io.statestore.broker.security;

/** The field of a client certificate that contains the principal's name. */
public enum CertificateUsernameField {

	/** The subject's common name (CN). */
	COMMON_NAME,

	/** The entire subject in RFC 2253 format, such as {@code CN=press-1,O=Plant}. */
	SUBJECT,

	/** The subject alternative name of type DNS. */
	DNS,

	/** The subject alternative name of type URI. */
	URI,

	/** The subject alternative name of type email (RFC 822). */
	EMAIL

}
