package io.statestore.broker.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Logins, the access control lists in docs/deployment.md, and TLS. */
@Timeout(60)
@RequiresProgram({ "mosquitto", "mosquitto_passwd" })
class SecuredMosquittoTests {

	private static final char[] STORE_PASSWORD = "changeit".toCharArray();

	@TempDir
	private static Path keys;

	private static final Path PAGE = Path.of("..", "docs", "deployment.md");

	private static Mosquitto mosquittoOfThePage() throws Exception {
		return mosquittoOfThePage("");
	}

	private static Mosquitto mosquittoOfThePage(String moreAcl) throws Exception {
		Path folder = Files.createTempDirectory("mosquitto");
		Files.writeString(folder.resolve("acl"), documentedAcls().get(0) + moreAcl);
		Path passwords = Files.write(folder.resolve("passwords"),
				Stream.of("statestore-gateway", "press-1", "curious", "statestore", "ada")
					.map((user) -> user + ":secret of " + user)
					.toList());
		run("mosquitto_passwd", "-U", passwords.toString());
		return Mosquitto.start(folder, "allow_anonymous false", "password_file {folder}/passwords",
				"acl_file {folder}/acl");
	}

	/** Returns the access control lists for clients and administrators. */
	private static List<String> documentedAcls() throws IOException {
		return Pattern.compile("^```acl\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL)
			.matcher(Files.readString(PAGE))
			.results()
			.map((acl) -> acl.group(1))
			.toList();
	}

	private static void run(String... command) throws Exception {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes());
		assertThat(process.waitFor()).as(output).isZero();
	}

	private static StateStoreGatewayBuilder gateway(Mosquitto mosquitto) {
		return StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port());
	}

	private static StoreClient client(Mosquitto mosquitto, String user) {
		return new StoreClient(user, RawMqttClient.connect(mosquitto.port(), user, user, "secret of " + user));
	}

	@Test
	void documentedAclKeepsNotificationsPrivate() throws Exception {
		try (Mosquitto mosquitto = mosquittoOfThePage();
				StateStoreGateway gateway = gateway(mosquitto)
					.login("statestore-gateway", "secret of statestore-gateway")
					.start();
				StoreClient press = client(mosquitto, "press-1");
				StoreClient curious = client(mosquitto, "curious");
				StoreClient sly = client(mosquitto, "statestore")) {
			assertThat(gateway.isServing()).isTrue();
			for (StoreClient other : new StoreClient[] { curious, sly }) {
				other.mqtt().subscribe("#");
				other.mqtt().subscribe("clients/#");
				other.mqtt().subscribe(press.notificationFilter());
				other.mqtt().subscribe(press.responseTopic());
				other.mqtt().subscribe(StoreClient.REQUEST_TOPIC);
				other.mqtt().send(RawPublish.of((forged) -> {
					forged.topic = press.notificationTopic("k");
					forged.payload = Resp.raw("*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎");
				}));
			}
			press.watch("k");
			press.call("SET", "k", "v");

			assertThat(press.notifications("k")).hasSize(1);
			assertThat(Resp.text(press.notification("k"))).endsWith("$1⏎v⏎");
			for (StoreClient other : new StoreClient[] { curious, sly }) {
				assertThat(other.value("k")).isEqualTo("v");
				other.fence();
				assertThat(other.mqtt().messages((message) -> !message.topic.equals(other.responseTopic()))).isEmpty();
			}
		}
	}

	@Test
	void aclControlsGatewayAdministration() throws Exception {
		try (Mosquitto mosquitto = mosquittoOfThePage('\n' + documentedAcls().get(1));
				StateStoreGateway gateway = gateway(mosquitto)
					.login("statestore-gateway", "secret of statestore-gateway")
					.administration(true)
					.start();
				StoreClient ada = client(mosquitto, "ada");
				StoreClient curious = client(mosquitto, "curious")) {
			assertThat(gateway.isServing()).isTrue();
			assertThat(Resp.text(ada.exchange(locks(ada)))).isEqualTo("*1⏎*0⏎");
			assertThat(curious.mqtt().puback(curious.mqtt().send(locks(curious)))).isEqualTo(0x87);
		}
	}

	@Test
	void servesWithoutAdministrationPermission() throws Exception {
		try (Mosquitto mosquitto = mosquittoOfThePage();
				StateStoreGateway gateway = gateway(mosquitto)
					.login("statestore-gateway", "secret of statestore-gateway")
					.administration(true)
					.start();
				StoreClient press = client(mosquitto, "press-1")) {
			assertThat(gateway.isServing()).isTrue();
			assertThat(press.value("k")).isNull();
		}
	}

	private static RawPublish locks(StoreClient client) {
		RawPublish request = client.request(Resp.command("LOCKS", "*"));
		request.topic = "statestore-administration/v1/request";
		return request;
	}

	@Test
	void reportsRefusedLogin() throws Exception {
		try (Mosquitto mosquitto = mosquittoOfThePage()) {
			assertThatIllegalStateException().isThrownBy(gateway(mosquitto).login("statestore-gateway", "wrong")::start)
				.withMessageContaining("the broker refused the login (reason 0x87)")
				.withMessageContaining("--user and --password-file");
		}
	}

	@Test
	void servesOverTls() throws Exception {
		try (TlsMosquitto tls = new TlsMosquitto("ip:127.0.0.1");
				StateStoreGateway gateway = gateway(tls.mosquitto).tls(tls.trust).start()) {
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Test
	void refusesCertificateForAnotherHost() throws Exception {
		try (TlsMosquitto tls = new TlsMosquitto("dns:other.example")) {
			assertThatIllegalStateException().isThrownBy(gateway(tls.mosquitto).tls(tls.trust)::start)
				.withMessageContaining("No connection to mqtts://127.0.0.1")
				.withMessageContaining(
						"the certificate of the broker does not name this host: No subject alternative names")
				.withMessageNotContaining("CONNECT");
		}
	}

	@Test
	void namesOptionForUntrustedCertificate() throws Exception {
		try (TlsMosquitto tls = new TlsMosquitto("ip:127.0.0.1")) {
			assertThatIllegalStateException().isThrownBy(gateway(tls.mosquitto).tls(SSLContext.getDefault())::start)
				.withMessageContaining("No connection to mqtts://127.0.0.1")
				.withMessageContaining("the certificate of the broker is not trusted: ")
				.withMessageContaining("--ca-file")
				.withMessageNotContaining("CONNECT");
		}
	}

	@Test
	void trustsCertificateAuthorityFromFile() throws Exception {
		try (TlsMosquitto tls = new TlsMosquitto("ip:127.0.0.1");
				StateStoreGateway gateway = gateway(tls.mosquitto).tls(tls.certificate).start()) {
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Test
	void refusesFileWithoutCertificates(@TempDir Path folder) throws Exception {
		Path empty = Files.writeString(folder.resolve("ca.pem"), "");
		Path other = Files.writeString(folder.resolve("other.pem"), "no certificate");
		for (Path file : new Path[] { empty, other, folder.resolve("missing.pem") }) {
			assertThatIllegalArgumentException().isThrownBy(() -> StateStoreGateway.builder().tls(file))
				.withMessageContaining(file
						+ (Files.exists(file) ? " contains no usable certificate. Use a PEM file with BEGIN CERTIFICATE"
								: " does not exist"));
		}
	}

	@Test
	void reportsBrokerWithoutTls() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			assertThatIllegalStateException().isThrownBy(gateway(mosquitto).tls(SSLContext.getDefault())::start)
				.withMessageContaining("TLS");
		}
	}

	@Test
	void mentionsMissingTlsIfBrokerRequiresIt() throws Exception {
		try (TlsMosquitto tls = new TlsMosquitto("ip:127.0.0.1")) {
			assertThatIllegalStateException().isThrownBy(gateway(tls.mosquitto)::start)
				.withMessageContaining("without TLS");
		}
	}

	/** A Mosquitto with its own certificate, and a context that trusts it. */
	private static final class TlsMosquitto implements AutoCloseable {

		private final Mosquitto mosquitto;

		private final SSLContext trust;

		private final Path certificate;

		TlsMosquitto(String subjectAlternativeName) throws Exception {
			Path folder = Files.createTempDirectory("mosquitto");
			KeyStore keys = keys(subjectAlternativeName);
			Files.writeString(folder.resolve("key.pem"),
					pem("PRIVATE KEY", keys.getKey("broker", STORE_PASSWORD).getEncoded()));
			this.certificate = Files.writeString(folder.resolve("certificate.pem"),
					pem("CERTIFICATE", keys.getCertificate("broker").getEncoded()));
			this.mosquitto = Mosquitto.start(folder, "allow_anonymous true", "certfile {folder}/certificate.pem",
					"keyfile {folder}/key.pem");
			this.trust = trust(keys);
		}

		private static KeyStore keys(String subjectAlternativeName) throws Exception {
			Path store = SecuredMosquittoTests.keys.resolve(subjectAlternativeName.replace(':', '-'));
			if (!Files.exists(store)) {
				run(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
						"broker", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "SAN=" + subjectAlternativeName,
						"-storetype", "PKCS12", "-keystore", store.toString(), "-storepass",
						new String(STORE_PASSWORD));
			}
			KeyStore keys = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(store)) {
				keys.load(in, STORE_PASSWORD);
			}
			return keys;
		}

		private static SSLContext trust(KeyStore keys) throws Exception {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			trusted.setCertificateEntry("broker", keys.getCertificate("broker"));
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}

		private static String pem(String type, byte[] content) {
			return "-----BEGIN " + type + "-----\n"
					+ Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content) + "\n-----END " + type
					+ "-----\n";
		}

		@Override
		public void close() throws IOException {
			this.mosquitto.close();
		}

	}

}
