package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
@Isolated("captures the log")
class TlsConnectionTests {

	private static final Duration VALIDITY = Duration.ofDays(2);

	private static final Keys LOCAL = context("localhost", "127.0.0.1");

	private static final Keys ELSEWHERE = context("elsewhere.example");

	private static final Keys NAMED = context("localhost");

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	private FakeBroker broker;

	private MqttConnection connection;

	TlsConnectionTests() {
		this.broker = new FakeBroker(LOCAL.context());
		this.connection = new MqttConnection(options(LOCAL).build());
	}

	/** A context with a certificate of its own that trusts itself. */
	private static Keys context(String... hosts) {
		try {
			IssuedCertificate issued = CertificateAuthority.create("Test CA", VALIDITY)
				.issue(CertificateRequest.server(List.of(hosts), VALIDITY));
			KeyStore keyStore = KeyStore.getInstance("JKS");
			keyStore.load(null, null);
			keyStore.setKeyEntry("key", issued.key(), new char[0], new Certificate[] { issued.certificate() });
			KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			keys.init(keyStore, new char[0]);
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(keyStore);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
			return new Keys(context, keys);
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private ConnectionOptions.Builder options(Keys trusted) {
		return this.broker.options().host("localhost").tls(trusted.tls(true)).startTimeout(Duration.ofSeconds(5));
	}

	private void replace(FakeBroker broker, Keys trusted, boolean verifyHostname) {
		this.broker.close();
		this.broker = broker;
		this.connection = new MqttConnection(
				options(trusted).startTimeout(Duration.ZERO).tls(trusted.tls(verifyHostname)).build());
	}

	private void awaitMessage(String... parts) {
		await("the diagnosis").until(
				() -> this.log.messages().stream().anyMatch((message) -> Stream.of(parts).allMatch(message::contains)));
	}

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
		this.log.close();
	}

	@Test
	void encryptsCalls() throws Exception {
		Calls calls = new Calls(this.connection);
		this.connection.start();
		Command.Set set = new Command.Set(Bytes.of("k"), Bytes.wrap(new byte[200_000]));
		for (int i = 0; i < 10; i++) {
			assertThat(calls.invoke(set, Options.DEFAULT).get(10, TimeUnit.SECONDS).reply()).isEqualTo(new Reply.Ok());
		}
		assertThat(this.log.contains("Connected to mqtts://localhost:" + this.broker.port())).isTrue();
		this.broker.drop();
		assertThat(calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
		this.connection.stop();
		await("DISCONNECT and the end of the socket")
			.until(() -> this.broker.disconnects.get() == 1 && this.broker.connectionCount() == 0);
	}

	@Test
	void verifiesNameOfEachHost() {
		FakeBroker broker = new FakeBroker(NAMED.context());
		this.broker.close();
		this.broker = broker;
		String name = "localhost:" + broker.port();
		String address = "127.0.0.1:" + broker.port();
		this.connection = new MqttConnection(ConnectionOptions.builder()
			.hosts(List.of(name, address))
			.tls(NAMED.tls(true))
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
		StateStoreClientManager manager = new StateStoreClientManager(options(LOCAL).build().withClientId("adapters"));
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
			.filter((thread) -> thread.getName().startsWith("statestore-mqtt"))
			.count() == 1);
	}

	@Test
	void reportsUntrustedCertificate() {
		replace(new FakeBroker(ELSEWHERE.context()), LOCAL, true);
		this.connection.start();
		awaitMessage(ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.cause(),
				ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.nextStep());
		assertThat(this.connection.isConnected()).isFalse();
	}

	@Test
	void refusesCertificateOfAnotherHostByDefault() {
		replace(new FakeBroker(ELSEWHERE.context()), ELSEWHERE, true);
		this.connection.start();
		awaitMessage(ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST.cause(), "localhost");
		assertThat(this.connection.isConnected()).isFalse();
		this.connection.stop();
		replace(new FakeBroker(ELSEWHERE.context()), ELSEWHERE, false);
		this.connection.start();
		await("the connection").until(this.connection::isConnected);
	}

	@Test
	void namesCertificateThatIsNoLogin() {
		this.broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x87);
		this.connection = new MqttConnection(options(LOCAL).startTimeout(Duration.ZERO).build());
		this.connection.start();
		await("the advice").until(() -> this.log.contains(ConnectionDiagnosis.CERTIFICATE_LOGIN_REFUSED.nextStep()));
	}

	@Test
	void asksForLoginWithoutCertificate() throws Exception {
		KeyManagerFactory empty = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		empty.init(null, null);
		this.broker.connectReturnCode = MqttConnectReturnCode.valueOf((byte) 0x87);
		this.connection = new MqttConnection(
				options(LOCAL).startTimeout(Duration.ZERO).tls(new Tls(LOCAL.context(), true, empty)).build());
		this.connection.start();
		await("the advice").until(() -> this.log.contains(ConnectionDiagnosis.LOGIN_REQUIRED.nextStep()));
	}

	@Test
	void reportsServerWithoutTls() {
		replace(new FakeBroker(), LOCAL, true);
		this.connection.start();
		awaitMessage("8883", "statestore.port");
	}

	@Test
	void reportsServerThatExpectsTls() {
		this.connection = new MqttConnection(this.broker.options().startTimeout(Duration.ZERO).build());
		this.connection.start();
		await("the advice").until(() -> this.log.contains("statestore.ssl.enabled=true"));
		assertThat(this.connection.isConnected()).isFalse();
	}

	@Test
	void reconnectsWithNewTlsSettings() throws Exception {
		replace(new FakeBroker(ELSEWHERE.context()), ELSEWHERE, false);
		AtomicReference<Tls> current = new AtomicReference<>(ELSEWHERE.tls(false));
		this.connection = new MqttConnection(
				this.broker.options().startTimeout(Duration.ofSeconds(5)).tlsFrom(current::get).build());
		Calls calls = new Calls(this.connection);
		this.connection.start();
		assertThat(this.connection.isConnected()).isTrue();
		current.set(LOCAL.tls(true));
		this.connection.reconnect("the certificates have changed");
		await("the refusal of the new settings")
			.until(() -> this.log.contains(ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED.cause()));
		current.set(ELSEWHERE.tls(false));
		assertThat(calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	/** One side of TLS, for either transport. */
	private record Keys(SSLContext context, KeyManagerFactory keys) {

		Tls tls(boolean verifyHostname) {
			return new Tls(this.context, verifyHostname, this.keys);
		}

	}

}
