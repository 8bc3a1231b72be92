package io.statestore.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLSocket;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.security.PemFiles;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** TLS of the embedded broker with SSL bundles. */
@Timeout(60)
class EmbeddedSslTests {

	private static final Duration VALIDITY = Duration.ofDays(2);

	private static final CertificateAuthority AUTHORITY = CertificateAuthority.create("Test CA", VALIDITY);

	private final Path directory;

	private final ApplicationContextRunner contextRunner;

	EmbeddedSslTests(@TempDir Path directory) {
		this.directory = directory;
		this.contextRunner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class,
					EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class))
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.embedded.ssl.bundle=broker",
					"statestore.start-timeout=20s", "spring.ssl.bundle.watch.file.quiet-period=100ms");
	}

	@BeforeEach
	void writeFiles() throws Exception {
		Files.writeString(this.directory.resolve("ca.pem"), AUTHORITY.certificate().certificatePem());
		write("press", AUTHORITY.issue(CertificateRequest.client("press", VALIDITY)));
		issueServer();
	}

	/** Issues a certificate that does not name localhost. */
	private X509Certificate issueServer() throws Exception {
		IssuedCertificate issued = AUTHORITY.issue(CertificateRequest.server(List.of("plant.example"), VALIDITY));
		write("server", issued);
		return issued.certificate();
	}

	private void write(String name, IssuedCertificate issued) throws Exception {
		Files.writeString(this.directory.resolve(name + "-key.pem"), issued.keyPem());
		Files.writeString(this.directory.resolve(name + ".pem"), issued.certificatePem());
	}

	private ApplicationContextRunner runner(boolean trust) {
		return bundle(bundle(this.contextRunner, "broker", "server", trust), "press", "press", true);
	}

	private ApplicationContextRunner bundle(ApplicationContextRunner runner, String name, String file, boolean trust) {
		String prefix = "spring.ssl.bundle.pem." + name;
		ApplicationContextRunner configured = runner.withPropertyValues(
				prefix + ".keystore.certificate=file:" + this.directory.resolve(file + ".pem"),
				prefix + ".keystore.private-key=file:" + this.directory.resolve(file + "-key.pem"),
				prefix + ".reload-on-update=true");
		return trust ? configured.withPropertyValues(
				prefix + ".truststore.certificate=file:" + this.directory.resolve("ca.pem")) : configured;
	}

	@ParameterizedTest
	@CsvSource({ "false, none,", "false, ,", "true, want,", "true, need, press" })
	void connectsOwnClient(boolean trust, String clientAuth, String clientBundle) {
		ApplicationContextRunner runner = runner(trust);
		if (clientAuth != null) {
			runner = runner.withPropertyValues("statestore.embedded.ssl.client-auth=" + clientAuth);
		}
		if (clientBundle != null) {
			runner = runner.withPropertyValues("statestore.ssl.bundle=" + clientBundle);
		}
		runner.run((context) -> {
			assertThat(context.getBean(StateStoreConnection.class).options().url()).startsWith("mqtts://");
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("key", "value");
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
		});
	}

	@Test
	void updatesCertificateWithoutEndingConnections() {
		runner(false).run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("key", "value");
			X509Certificate second = issueServer();
			int port = context.getBean(StateStoreBroker.class).port();
			await("the new certificate").until(() -> second.equals(certificateOf(port)));
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
			assertThat(context.getBean(StateStoreBroker.class).statistics().connections().tlsFailures()).isZero();
			context.getBean(StateStoreConnection.class).reconnect("test");
			template.withTimeout(Duration.ofSeconds(10)).set("key", "value");
		});
	}

	@Test
	void ownClientConnectsAfterUnusableUpdate() {
		runner(false).run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("key", "value");
			write("other", AUTHORITY.issue(CertificateRequest.server(List.of("localhost"), VALIDITY)));
			PemSslStoreDetails details = PemSslStoreDetails
				.forCertificate(Files.readString(this.directory.resolve("other.pem")))
				.withPrivateKey(Files.readString(this.directory.resolve("other-key.pem")));
			context.getBean(SslBundleRegistry.class)
				.updateBundle("broker", SslBundle.of(new PemSslStoreBundle(details, null), null, null, "unknown"));
			StateStoreConnection connection = context.getBean(StateStoreConnection.class);
			connection.reconnect("test");
			template.withTimeout(Duration.ofSeconds(5)).set("key", "value");
		});
	}

	private Object certificateOf(int port) throws Exception {
		try (SSLSocket socket = (SSLSocket) PemFiles.trusting(this.directory.resolve("ca.pem"))
			.newContext()
			.getSocketFactory()
			.createSocket("localhost", port)) {
			socket.startHandshake();
			return socket.getSession().getPeerCertificates()[0];
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void refusesCertificateNameWithoutClientCertificates(boolean tls) {
		(tls ? runner(true)
				: new ApplicationContextRunner()
					.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class))
					.withPropertyValues("statestore.embedded.enabled=true", "statestore.embedded.port=0"))
			.withPropertyValues("statestore.embedded.certificate-username-field=dns")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.embedded.certificate-username-field");
					assertThat(failure.getReason()).contains("Set 'statestore.embedded.ssl.client-auth'");
				}));
	}

	@ParameterizedTest
	@CsvSource({ "true, need, Set 'statestore.ssl.bundle'",
			"false, want, Add a trust store to the SSL bundle 'broker'" })
	void refusesClientAuthWithoutCertificates(boolean trust, String clientAuth, String message) {
		runner(trust).withPropertyValues("statestore.embedded.ssl.client-auth=" + clientAuth)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.embedded.ssl.client-auth");
					assertThat(failure.getReason()).contains(message);
				}));
	}

}
