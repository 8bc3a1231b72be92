package io.statestore.broker.security;

import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.security.ImmediateAuthenticator.Decision;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests for {@link CertificateAuthenticator}, with certificates of {@code keytool}. */
class CertificateAuthenticatorTests {

	@TempDir
	private static Path directory;

	private static X509Certificate full;

	private static X509Certificate ambiguous;

	@BeforeAll
	static void generateCertificates() throws Exception {
		full = certificate("full", "CN=press-1, O=Plant",
				"san=dns:press-1.plant,uri:spiffe://plant/press-1,email:press@plant.example");
		ambiguous = certificate("ambiguous", "O=Plant", "san=dns:a,dns:b");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			COMMON_NAME | press-1
			SUBJECT     | CN=press-1,O=Plant
			DNS         | press-1.plant
			URI         | spiffe://plant/press-1
			EMAIL       | press@plant.example
			""")
	void usesConfiguredField(CertificateName field, String name) throws Exception {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(field);
		Authentication expected = new Authentication(ClientPrincipal.of(name), full.getNotAfter().toInstant());
		assertThat(authenticator.authenticate(credentials(full))).isEqualTo(expected);
		assertThat(authenticator.decide(credentials(full))).isEqualTo(new Decision(expected));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ku:c=keyCertSign,cRLSign              | false
			ku:c=keyEncipherment                  | false
			ku:c=digitalSignature                 | true
			ku:c=digitalSignature,keyCertSign     | true
			bc:c=ca:true                          | true
			""")
	void acceptsOnlyCertificatesThatMaySign(String extension, boolean accepted) throws Exception {
		X509Certificate certificate = certificate("usage" + extension.hashCode(), "CN=press-1", extension);
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateName.COMMON_NAME);
		assertThat(authenticator.decide(credentials(certificate)) != null).isEqualTo(accepted);
		if (!accepted) {
			assertThatExceptionOfType(AuthenticationException.class)
				.isThrownBy(() -> authenticator.authenticate(credentials(certificate)))
				.withMessageContaining("key usage");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "COMMON_NAME", "DNS", "URI", "EMAIL" })
	void refusesMissingOrAmbiguousName(CertificateName field) {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(field);
		assertThat(authenticator.decide(credentials(ambiguous))).isNull();
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> authenticator.authenticate(credentials(ambiguous)))
			.withMessageContaining("exactly one is required");
	}

	@Test
	void refusesTwoCommonNamesInOnePart() throws Exception {
		X509Certificate two = certificate("two", "CN=press-1+CN=press-2, O=Plant", "san=dns:a");
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateName.COMMON_NAME);
		assertThat(authenticator.decide(credentials(two))).isNull();
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> authenticator.authenticate(credentials(two)))
			.withMessageContaining("has 2 names");
	}

	@Test
	void isNotResponsibleWithoutCertificate() throws Exception {
		CertificateAuthenticator authenticator = new CertificateAuthenticator(CertificateName.SUBJECT);
		assertThat(authenticator.authenticate(credentials())).isNull();
		assertThat(authenticator.decide(credentials())).isEqualTo(Decision.NOT_RESPONSIBLE);
	}

	// NullAway ignores that array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(X509Certificate... certificates) {
		return new Credentials("c1", null, null, null, null, List.of(certificates), InetAddress.getLoopbackAddress());
	}

	private static X509Certificate certificate(String alias, String subject, String extension) throws Exception {
		Path store = directory.resolve(alias + ".p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-keyalg", "EC", "-alias", alias, "-dname", subject, "-ext", extension, "-keystore",
				store.toString(), "-storepass", "changeit")
			.inheritIO()
			.start();
		assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, "changeit".toCharArray());
		}
		return (X509Certificate) keys.getCertificate(alias);
	}

}
