package io.statestore.broker.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Logins with client certificates on the wire, alone and alongside passwords. */
@Timeout(60)
class CertificateLoginTests {

	private static final char[] STORE_PASSWORD = "changeit".toCharArray();

	private static final int BAD_LOGIN = 0x86;

	private static final int NOT_AUTHORIZED = 0x87;

	@TempDir
	private static Path directory;

	private static TestCertificates certificates;

	private static Path authorities;

	/** Rules that reveal a client's name. */
	private static Path rules;

	/** Context for a client whose certificate has all kinds of names. */
	private static SSLContext named;

	private static int clients;

	@BeforeAll
	static void createFiles() throws Exception {
		certificates = new TestCertificates(directory);
		rules = Files.writeString(directory.resolve("rules"), "users read,write key own/{username}\n");
		KeyStore keys = keys();
		Certificate certificate = keys.getCertificate("named");
		authorities = Files.writeString(directory.resolve("authorities.pem"),
				Files.readString(certificates.authorities()) + "-----BEGIN CERTIFICATE-----\n"
						+ Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
						+ "\n-----END CERTIFICATE-----\n");
		named = context(keys);
	}

	private static KeyStore keys() throws Exception {
		Path store = directory.resolve("named.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "named", "-keyalg", "EC", "-dname", "CN=press-1, O=Plant", "-ext",
				"san=dns:press-1.plant,uri:spiffe://plant/press-1,email:press@plant.example", "-validity", "2",
				"-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", new String(STORE_PASSWORD))
			.inheritIO()
			.start();
		assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, STORE_PASSWORD);
		}
		return keys;
	}

	private static SSLContext context(KeyStore keys) throws Exception {
		KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keyManagers.init(keys, STORE_PASSWORD);
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry("own", keys.getCertificate("named"));
		try (InputStream in = Files.newInputStream(certificates.authorities())) {
			trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		trust.init(trusted);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
		return context;
	}

	private static StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder()
			.tls(ServerTls.ofPem(certificates.server().withAuthorities(authorities), ClientAuth.WANT))
			.rules(rules);
	}

	private static StateStoreBroker broker(CertificateUsernameField field) {
		return builder().authenticator(new CertificateAuthenticator(field)).start();
	}

	/**
	 * Returns an unused id. An id belongs to a user until the session has ended, which is
	 * shortly after the connection.
	 */
	private static String newClientId() {
		return "press-" + ++clients;
	}

	private static RawMqttConnection connection(StateStoreBroker broker, SSLContext context) throws IOException {
		return new RawMqttConnection(context.getSocketFactory().createSocket(), broker.port());
	}

	private static int reason(StateStoreBroker broker, SSLContext context, @Nullable String user,
			@Nullable String password) throws IOException {
		try (RawMqttConnection client = connection(broker, context)) {
			return client.connect(RawConnect.of(newClientId()).login(user, password)).reason();
		}
	}

	/** Verifies that a client can write its principal's key, and no other key. */
	private static void verifyName(StateStoreBroker broker, SSLContext context, @Nullable String user, String name) {
		RawMqttConnection.useTls(broker.port(), context.getSocketFactory());
		String clientId = newClientId();
		try (StoreClient client = (user != null) ? StoreClient.connect(broker.port(), clientId, user, "sesame")
				: StoreClient.connect(broker.port(), clientId)) {
			assertThat(Resp.text(client.call("SET", "own/" + name, "v"))).isEqualTo("+OK⏎");
			assertThat(Resp.text(client.call("SET", "own/another", "v"))).isEqualTo(KeyPermissionRules.DENIED);
		}
		finally {
			RawMqttConnection.useTcp(broker.port());
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			COMMON_NAME | press-1
			SUBJECT     | CN=press-1,O=Plant
			DNS         | press-1.plant
			URI         | spiffe://plant/press-1
			EMAIL       | press@plant.example
			""")
	void usesCertificateName(CertificateUsernameField field, String name) {
		try (StateStoreBroker broker = broker(field)) {
			verifyName(broker, named, null, name);
		}
	}

	@Test
	void refusesClientsWithoutNameOrCertificate() throws Exception {
		try (StateStoreBroker broker = broker(CertificateUsernameField.DNS)) {
			SSLContext unnamed = certificates.client("unnamed").newContext();
			assertThat(reason(broker, unnamed, null, null)).isEqualTo(BAD_LOGIN);
			assertThat(reason(broker, certificates.trust(), null, null)).isEqualTo(BAD_LOGIN);
			assertThat(reason(broker, certificates.trust(), "press-1.plant", "sesame")).isEqualTo(BAD_LOGIN);
		}
	}

	@Test
	void endsConnectionWhenCertificateExpires() throws Exception {
		try (StateStoreBroker broker = broker(CertificateUsernameField.COMMON_NAME)) {
			try (RawMqttConnection client = connectShortly(broker)) {
				assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(NOT_AUTHORIZED);
				client.assertClosed();
			}
		}
	}

	/** Connects with a certificate that is about to expire. */
	private static RawMqttConnection connectShortly(StateStoreBroker broker) throws IOException {
		int seconds = 2;
		while (true) {
			try {
				RawMqttConnection client = connection(broker,
						certificates.client("brief", Instant.now().plusSeconds(seconds)).newContext());
				if (client.connect("brief").reason() == 0) {
					return client;
				}
			}
			catch (IOException ex) {
				// The certificate has already expired, because this machine is slow.
				assertThat(seconds).isLessThan(20);
			}
			seconds *= 2;
		}
	}

	@Test
	void passwordPrecedesCertificate() throws Exception {
		try (StateStoreBroker broker = builder().account("ada", "sesame")
			.authenticator(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME))
			.start()) {
			verifyName(broker, named, "ada", "ada");
			verifyName(broker, named, null, "press-1");
			verifyName(broker, named, "unknown", "press-1");
			verifyName(broker, certificates.trust(), "ada", "ada");
			assertThat(reason(broker, named, "ada", "wrong")).isEqualTo(BAD_LOGIN);
			assertThat(reason(broker, certificates.trust(), null, null)).isEqualTo(BAD_LOGIN);
		}
	}

	@Test
	void certificatePrecedesPasswordIfConfiguredFirst() throws Exception {
		try (StateStoreBroker broker = builder()
			.authenticator(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME))
			.account("ada", "sesame")
			.anonymous(AnonymousAccess.LOOPBACK)
			.start()) {
			verifyName(broker, named, "ada", "press-1");
			verifyName(broker, certificates.trust(), "ada", "ada");
			assertThat(reason(broker, named, "ada", "wrong")).isZero();
			assertThat(reason(broker, certificates.trust(), null, null)).isZero();
		}
	}

	@Test
	void passwordLoginCannotTakeOverCertificateClient() throws Exception {
		try (StateStoreBroker broker = builder().account("ada", "sesame")
			.authenticator(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME))
			.start();
				RawMqttConnection client = connection(broker, named);
				RawMqttConnection other = connection(broker, named);
				RawMqttConnection same = connection(broker, named)) {
			assertThat(client.connect("press").reason()).isZero();
			assertThat(other.connect(RawConnect.of("press").login("ada", "sesame")).reason()).isEqualTo(0x85);
			client.ping();
			assertThat(same.connect("press").reason()).isZero();
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
		}
	}

}
