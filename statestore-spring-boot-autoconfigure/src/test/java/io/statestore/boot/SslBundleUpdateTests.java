package io.statestore.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Replacing certificates while the application is running. */
@Timeout(60)
class SslBundleUpdateTests {

	private static final String PASSWORD = "changeit";

	private static final Duration VALIDITY = Duration.ofDays(2);

	private static KeyStore first;

	private static KeyStore second;

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(StateStoreAutoConfiguration.class))
		.withBean(SslBundles.class, () -> this.bundles)
		.withPropertyValues("statestore.ssl.bundle=store", "statestore.start-timeout=20s",
				"statestore.reconnect.max-delay=10ms");

	@BeforeAll
	static void makeKeys() throws Exception {
		first = keyStore("first");
		second = keyStore("second");
	}

	@BeforeEach
	void registerBundle() {
		this.bundles.registerBundle("store", bundle(first));
	}

	@AfterEach
	void close() {
		this.broker.close();
	}

	@Test
	void reconnectsWithNewCertificate() throws Exception {
		try (TlsProxy proxy = new TlsProxy(first, this.broker.port())) {
			this.contextRunner.withPropertyValues("statestore.port=" + proxy.port()).run((context) -> {
				StateStoreConnection connection = context.getBean(StateStoreConnection.class);
				StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
				assertThat(connection.isConnected()).isTrue();
				proxy.accept(second);
				this.bundles.updateBundle("store", bundle(second));
				template.withTimeout(Duration.ofSeconds(10)).set("key", "value");
				await().until(() -> proxy.acceptedBySecond);
				template.withTimeout(Duration.ofSeconds(10)).set("key", "value");
			});
		}
	}

	/** Returns a bundle with a key that trusts only the key's authority. */
	private static SslBundle bundle(KeyStore store) {
		return SslBundle.of(SslStoreBundle.of(store, PASSWORD, store));
	}

	private static KeyStore keyStore(String name) throws Exception {
		CertificateAuthority authority = CertificateAuthority.create(name, VALIDITY);
		IssuedCertificate issued = authority
			.issue(CertificateRequest.node(List.of("localhost", "127.0.0.1"), VALIDITY));
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		keyStore.load(null, null);
		Certificate[] chain = { issued.certificate() };
		keyStore.setKeyEntry("key", issued.key(), PASSWORD.toCharArray(), chain);
		keyStore.setCertificateEntry("authority", authority.certificate().certificate());
		return keyStore;
	}

	/** TLS proxy in front of the broker that accepts only one client certificate. */
	private static final class TlsProxy implements AutoCloseable {

		private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

		private final int target;

		private volatile SSLContext context;

		private volatile KeyStore accepted;

		private volatile boolean acceptedBySecond;

		TlsProxy(KeyStore accepted, int target) throws IOException {
			this.target = target;
			accept(accepted);
			start(this::run);
		}

		int port() {
			return this.server.getLocalPort();
		}

		void accept(KeyStore accepted) {
			this.accepted = accepted;
			this.context = bundle(accepted).createSslContext();
		}

		private void run() throws IOException {
			while (true) {
				Socket raw = this.server.accept();
				KeyStore accepted = this.accepted;
				SSLSocket client = (SSLSocket) this.context.getSocketFactory()
					.createSocket(raw, null, raw.getPort(), true);
				client.setUseClientMode(false);
				client.setNeedClientAuth(true);
				start(() -> {
					client.startHandshake();
					this.acceptedBySecond |= accepted == second;
					Socket broker = new Socket(InetAddress.getLoopbackAddress(), this.target);
					start(() -> pump(client, broker));
					pump(broker, client);
				});
			}
		}

		private static void pump(Socket from, Socket to) throws IOException {
			try (from; to) {
				from.getInputStream().transferTo(to.getOutputStream());
			}
		}

		private static void start(Task task) {
			Thread thread = new Thread(() -> {
				try {
					task.run();
				}
				catch (IOException ex) {
					// The connection was closed.
				}
			});
			thread.setDaemon(true);
			thread.start();
		}

		@Override
		public void close() throws IOException {
			this.server.close();
		}

		private interface Task {

			void run() throws IOException;

		}

	}

}
