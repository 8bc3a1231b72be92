package io.statestore.broker.security;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

import io.statestore.broker.security.ImmediateAuthenticator.Decision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CertificateAuthenticator}, with certificates created by
 * {@code keytool -genkeypair -keyalg EC}.
 */
class CertificateAuthenticatorTests {

	private static final X509Certificate FULL = certificate("full");

	private static final X509Certificate AMBIGUOUS = certificate("ambiguous");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			COMMON_NAME | press-1
			SUBJECT     | CN=press-1,O=Plant
			DNS         | press-1.plant
			URI         | spiffe://plant/press-1
			EMAIL       | press@plant.example
			""")
	void usesConfiguredField(CertificateUsernameField field, String name) throws Exception {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(field);
		Authentication expected = new Authentication(ClientPrincipal.of(name), FULL.getNotAfter().toInstant());
		assertThat(authenticator.authenticate(credentials(FULL))).isEqualTo(expected);
		assertThat(authenticator.decide(credentials(FULL))).isEqualTo(new Decision(expected));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			key-cert-sign     | false
			key-encipherment  | false
			digital-signature | true
			both              | true
			authority         | true
			""")
	void acceptsOnlyCertificatesThatMaySign(String usage, boolean accepted) {
		X509Certificate certificate = certificate(usage);
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME);
		assertThat(authenticator.decide(credentials(certificate)) != null).isEqualTo(accepted);
		if (!accepted) {
			assertThatExceptionOfType(AuthenticationException.class)
				.isThrownBy(() -> authenticator.authenticate(credentials(certificate)))
				.withMessageContaining("key usage");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "COMMON_NAME", "DNS", "URI", "EMAIL" })
	void refusesMissingOrAmbiguousName(CertificateUsernameField field) {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(field);
		assertThat(authenticator.decide(credentials(AMBIGUOUS))).isNull();
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> authenticator.authenticate(credentials(AMBIGUOUS)))
			.withMessageContaining("exactly one is required");
	}

	@Test
	void refusesTwoCommonNamesInOneRdn() {
		X509Certificate two = certificate("two");
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME);
		assertThat(authenticator.decide(credentials(two))).isNull();
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> authenticator.authenticate(credentials(two)))
			.withMessageContaining("has 2 names");
	}

	@Test
	void abstainsWithoutCertificate() throws Exception {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateUsernameField.SUBJECT);
		assertThat(authenticator.authenticate(credentials())).isNull();
		assertThat(authenticator.decide(credentials())).isEqualTo(Decision.NOT_RESPONSIBLE);
	}

	// Array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(X509Certificate... certificates) {
		return new Credentials("c1", null, null, null, null, List.of(certificates), InetAddress.getLoopbackAddress());
	}

	private static X509Certificate certificate(String name) {
		try (InputStream in = CertificateAuthenticatorTests.class
			.getResourceAsStream("certificates/" + name + ".pem")) {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
		}
		catch (IOException | CertificateException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
