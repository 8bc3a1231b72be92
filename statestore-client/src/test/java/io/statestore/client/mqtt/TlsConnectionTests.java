package io.statestore.client.mqtt;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import io.statestore.client.mqtt.link.Link;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class TlsConnectionTests {

	private static final char[] PASSWORD = "changeit".toCharArray();

	private static Keys local;

	private static Keys elsewhere;

	private static Keys named;

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	private FakeBroker broker;

	private StateStoreConnection connection;

	TlsConnectionTests() {
		this.broker = new FakeBroker(local.context());
		this.connection = new StateStoreConnection(options(local).build());
	}

	@BeforeAll
	static void makeKeys(@TempDir Path directory) throws Exception {
		local = context(directory, "local", "dns:localhost,ip:127.0.0.1");
		elsewhere = context(directory, "elsewhere", "dns:elsewhere.example");
		named = context(directory, "named", "dns:localhost");
	}

	/** A context with a key of its own that trusts itself. */
	private static Keys context(Path directory, String name, String subjectAlternativeNames) throws Exception {
		Path file = directory.resolve(name + ".p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext",
				"SAN=" + subjectAlternativeNames, "-validity", "2", "-storetype", "PKCS12", "-keystore",
				file.toString(), "-storepass", new String(PASSWORD))
			.inheritIO()
			.start();
		assertThat(keytool.waitFor(20, TimeUnit.SECONDS)).isTrue();
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(file)) {
			keyStore.load(in, PASSWORD);
		}
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(keyStore, PASSWORD);
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(keyStore);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
		return new Keys(context, keys, trust);
	}

	private ConnectionOptions.Builder options(Keys trusted) {
		return this.broker.options().host("localhost").tls(trusted.tls(true)).startTimeout(Duration.ofSeconds(5));
	}

	private void replace(FakeBroker broker, Keys trusted, boolean verifyHostname) {
		this.broker.close();
		this.broker = broker;
		this.connection = new StateStoreConnection(
				options(trusted).startTimeout(Duration.ofSeconds(2)).tls(trusted.tls(verifyHostname)).build());
	}

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
		this.log.close();
	}

	@Test
	void encryptsCalls() throws Exception {
		MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);
		this.connection.start();
		Command.Set set = new Command.Set(Bytes.of("k"), Bytes.wrap(new byte[200_000]));
		for (int i = 0; i < 50; i++) {
			assertThat(invoker.invoke(set, Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
				.isEqualTo(new Reply.Ok());
		}
		assertThat(this.log.contains("Connected to mqtts://localhost:" + this.broker.port())).isTrue();
		this.broker.drop();
		assertThat(invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
		this.connection.stop();
		await("DISCONNECT and the end of the socket")
			.until(() -> this.broker.disconnects.get() == 1 && this.broker.connectionCount() == 0);
	}

	@Test
	void verifiesNameOfEachHost() {
		FakeBroker broker = new FakeBroker(named.context());
		this.broker.close();
		this.broker = broker;
		String name = "localhost:" + broker.port();
		String address = "127.0.0.1:" + broker.port();
		this.connection = new StateStoreConnection(TestedTransport.options()
			.hosts(List.of(name, address))
			.tls(named.tls(true))
			.reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(20))
			.build());
		this.connection.start();
		assertThat(this.connection.getUrl()).isEqualTo("mqtts://" + name);
		broker.drop();
		// The host that has lost a connection is tried last.
		await("a connection after an attempt at the address").until(() -> this.log
			.contains("; no connection to " + address + ": " + ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST.cause())
				&& this.connection.isConnected());
		assertThat(this.connection.getUrl()).isEqualTo("mqtts://" + name);
	}

	@Test
	void encryptsAdapters() throws Exception {
		StateStoreClientManager manager = new StateStoreClientManager(
				options(local).transport(Transport.PAHO).build().withClientId("adapters"));
		manager.start();
		try {
			await("the connection").until(manager.getClient()::isConnected);
			manager.getClient().publish("a", new byte[10], 1, false).waitForCompletion(10_000);
			assertThat(
					this.log.contains("Connected to mqtts://localhost:" + this.broker.port() + " as client adapters"))
				.isTrue();
		}
		finally {
			manager.stop();
		}
	}

	// Paho cannot close a TLS socket whose peer has not sent close_notify.
	@Test
	void closesSocketOfBrokenConnection() {
		this.connection.start();
		assertThat(this.connection.isConnected()).isTrue();
		Link link = this.connection.link();
		assertThat(link).isNotNull();
		link.close();
		await("the new socket alone")
			.until(() -> this.broker.connects.size() == 2 && this.broker.connectionCount() == 1);
		await("one receiver").until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(TestedTransport.receiver()))
			.count() == 1);
	}

	@Test
	void reportsUntrustedCertificate() {
		replace(new FakeBroker(elsewhere.context()), local, true);
		this.connection.start();
		assertThat(this.connection.isConnected()).isFalse();
		assertThat(this.log.messages())
			.anySatisfy((message) -> assertThat(message).contains(ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.cause())
				.contains(ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.nextStep()));
	}

	@Test
	void refusesCertificateOfAnotherHostByDefault() {
		replace(new FakeBroker(elsewhere.context()), elsewhere, true);
		this.connection.start();
		assertThat(this.connection.isConnected()).isFalse();
		assertThat(this.log.messages())
			.anySatisfy((message) -> assertThat(message).contains(ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST.cause())
				.contains("localhost"));
		this.connection.stop();
		replace(new FakeBroker(elsewhere.context()), elsewhere, false);
		this.connection.start();
		assertThat(this.connection.isConnected()).isTrue();
	}

	@Test
	void namesCertificateThatIsNoLogin() {
		this.broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x87);
		this.connection = new StateStoreConnection(options(local).startTimeout(Duration.ZERO).build());
		this.connection.start();
		await("the advice").until(() -> this.log.contains(ConnectionDiagnosis.CERTIFICATE_LOGIN_REFUSED.nextStep()));
	}

	@Test
	void asksForLoginWithoutCertificate() throws Exception {
		KeyManagerFactory empty = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		empty.init(null, null);
		this.broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x87);
		this.connection = new StateStoreConnection(options(local).startTimeout(Duration.ZERO)
			.tls(new Tls(local.context().getSocketFactory(), true, empty, local.trust()))
			.build());
		this.connection.start();
		await("the advice").until(() -> this.log.contains(ConnectionDiagnosis.LOGIN_REQUIRED.nextStep()));
	}

	@Test
	void reportsServerWithoutTls() {
		replace(new FakeBroker(), local, true);
		this.connection.start();
		assertThat(this.log.messages())
			.anySatisfy((message) -> assertThat(message).contains("8883").contains("statestore.port"));
	}

	@Test
	void reportsServerThatExpectsTls() {
		this.connection = new StateStoreConnection(this.broker.options().startTimeout(Duration.ofSeconds(2)).build());
		this.connection.start();
		assertThat(this.connection.isConnected()).isFalse();
		await("the advice").until(() -> this.log.contains("statestore.ssl.enabled=true"));
	}

	@Test
	void reconnectsWithNewTlsSettings() throws Exception {
		replace(new FakeBroker(elsewhere.context()), elsewhere, false);
		AtomicReference<Tls> current = new AtomicReference<>(elsewhere.tls(false));
		this.connection = new StateStoreConnection(
				this.broker.options().startTimeout(Duration.ofSeconds(5)).tlsFrom(current::get).build());
		MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);
		this.connection.start();
		assertThat(this.connection.isConnected()).isTrue();
		current.set(local.tls(true));
		this.connection.reconnect("the certificates have changed");
		await("the refusal of the new settings")
			.until(() -> this.log.contains(ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.cause()));
		current.set(elsewhere.tls(false));
		assertThat(invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	/** One side of TLS, for either transport. */
	private record Keys(SSLContext context, KeyManagerFactory keys, TrustManagerFactory trust) {

		Tls tls(boolean verifyHostname) {
			return new Tls(this.context.getSocketFactory(), verifyHostname, this.keys, this.trust);
		}

	}

}
