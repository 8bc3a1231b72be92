package io.statestore.broker.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * Authenticates clients by their certificate, which TLS has verified. The principal has
 * the name in the certificate. The authentication expires with the certificate. Such a
 * client's user name and password are ignored unless an earlier authenticator handles
 * them. Thread-safe.
 */
public final class CertificateAuthenticator implements ImmediateAuthenticator {

	private static final int DNS_TYPE = 2;

	private static final int EMAIL_TYPE = 1;

	private static final int URI_TYPE = 6;

	/** Key usage bit that a client certificate needs (RFC 5280, section 4.2.1.3). */
	private static final int DIGITAL_SIGNATURE = 0;

	private final CertificateUsernameField field;

	/**
	 * Creates an authenticator.
	 * @param field the certificate field that contains the principal's name
	 */
	public CertificateAuthenticator(CertificateUsernameField field) {
		this.field = field;
	}

	@Override
	public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
		if (credentials.method() != null || credentials.certificates().isEmpty()) {
			return null;
		}
		X509Certificate certificate = credentials.certificates().get(0);
		boolean[] usage = certificate.getKeyUsage();
		if (usage != null && !usage[DIGITAL_SIGNATURE]) {
			throw new AuthenticationException("the certificate's key usage does not include digital signatures, as in "
					+ "an authority's certificate");
		}
		List<String> names = names(certificate);
		if (names.size() != 1) {
			throw new AuthenticationException("the certificate has " + names.size() + " names of the type " + this.field
					+ "; exactly one is required");
		}
		return new Authentication(PrincipalNames.principal(names.get(0), "the name in the certificate"),
				certificate.getNotAfter().toInstant());
	}

	private List<String> names(X509Certificate certificate) throws AuthenticationException {
		String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
		return switch (this.field) {
			case SUBJECT -> subject.isEmpty() ? List.of() : List.of(subject);
			case COMMON_NAME -> commonNames(subject);
			case DNS -> alternativeNames(certificate, DNS_TYPE);
			case URI -> alternativeNames(certificate, URI_TYPE);
			case EMAIL -> alternativeNames(certificate, EMAIL_TYPE);
		};
	}

	private static List<String> commonNames(String subject) throws AuthenticationException {
		List<String> names = new ArrayList<>();
		try {
			for (Rdn rdn : new LdapName(subject).getRdns()) {
				Attribute attribute = rdn.toAttributes().get("CN");
				if (attribute != null) {
					for (Object name : Collections.list(attribute.getAll())) {
						names.add(text(name));
					}
				}
			}
		}
		catch (NamingException ex) {
			throw new AuthenticationException("the subject of the certificate is invalid");
		}
		return names;
	}

	private static String text(Object name) throws AuthenticationException {
		if (name instanceof String text) {
			return text;
		}
		throw new AuthenticationException("the certificate's common name is not a string");
	}

	private static List<String> alternativeNames(X509Certificate certificate, int type) throws AuthenticationException {
		List<String> names = new ArrayList<>();
		try {
			Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
			for (List<?> alternative : (alternatives != null) ? alternatives : List.<List<?>>of()) {
				if (alternative.get(0) instanceof Integer found && found == type
						&& alternative.get(1) instanceof String name) {
					names.add(name);
				}
			}
		}
		catch (CertificateParsingException ex) {
			throw new AuthenticationException("the alternative names of the certificate are invalid");
		}
		return names;
	}

	@Override
	public String toString() {
		return "clients with a certificate";
	}

}
