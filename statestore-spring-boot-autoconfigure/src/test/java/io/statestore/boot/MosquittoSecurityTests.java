package io.statestore.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.ConnectionDiagnosis;
import io.statestore.test.CapturedLog;
import io.statestore.test.FreePorts;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Logins and certificates with a third-party broker. */
@Timeout(60)
@RequiresProgram({ "mosquitto", "mosquitto_passwd", "openssl" })
@Isolated("captures the log")
class MosquittoSecurityTests {

	private static Path folder;

	private static Mosquitto mosquitto;

	/** Port that accepts only TLS 1.2, with client certificates. */
	private static int tls12;

	/** Port without TLS. */
	private static int plain;

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	@BeforeAll
	static void start() throws Exception {
		folder = Files.createTempDirectory("mosquitto");
		authority("ca");
		authority("other");
		certificate("server", "DNS:localhost");
		certificate("client", "DNS:client");
		Files.writeString(folder.resolve("passwords"), "ada:sesame\nbob:sesame\n");
		run("mosquitto_passwd", "-U", "passwords");
		Files.writeString(folder.resolve("acl"), "user ada\ntopic readwrite #\n");
		plain = FreePorts.next();
		tls12 = FreePorts.next();
		List<String> tls = List.of("cafile {folder}/ca.pem", "certfile {folder}/server.pem",
				"keyfile {folder}/server.key", "require_certificate true");
		List<String> lines = new ArrayList<>(tls);
		lines.add("tls_version tlsv1.3");
		lines.addAll(List.of("allow_anonymous false", "password_file {folder}/passwords", "acl_file {folder}/acl"));
		lines.add("listener " + tls12 + " 127.0.0.1");
		lines.addAll(tls);
		lines.add("tls_version tlsv1.2");
		lines.add("listener " + plain + " 127.0.0.1");
		mosquitto = Mosquitto.start(folder, lines.toArray(String[]::new));
	}

	private static void authority(String name) throws Exception {
		run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
				"-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".pem");
	}

	private static void certificate(String name, String names) throws Exception {
		Files.writeString(folder.resolve(name + ".ext"), "subjectAltName=" + names + '\n');
		run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
				"-keyout", name + ".key", "-out", name + ".csr");
		run("openssl", "x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
				"-days", "2", "-extfile", name + ".ext", "-out", name + ".pem");
	}

	private static void run(String... command) throws Exception {
		Process process = new ProcessBuilder(command).directory(folder.toFile())
			.redirectErrorStream(true)
			.redirectOutput(folder.resolve("commands.log").toFile())
			.start();
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(Files.readString(folder.resolve("commands.log"))).isZero();
	}

	@AfterAll
	static void stop() {
		if (mosquitto != null) {
			mosquitto.close();
		}
	}

	@AfterEach
	void close() {
		this.log.close();
	}

	private static ApplicationContextRunner application(int port) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, StateStoreAutoConfiguration.class))
			.withPropertyValues("statestore.port=" + port, "statestore.start-timeout=0s",
					"statestore.reconnect.max-delay=200ms", "statestore.username=ada");
	}

	private static ApplicationContextRunner trusting(ApplicationContextRunner application, String authority) {
		return application.withPropertyValues("statestore.ssl.bundle=store",
				"spring.ssl.bundle.pem.store.truststore.certificate=file:" + folder.resolve(authority + ".pem"));
	}

	private static ApplicationContextRunner withCertificate(ApplicationContextRunner application) {
		return application.withPropertyValues(
				"spring.ssl.bundle.pem.store.keystore.certificate=file:" + folder.resolve("client.pem"),
				"spring.ssl.bundle.pem.store.keystore.private-key=file:" + folder.resolve("client.key"));
	}

	/** Expects the first warning to show one of the diagnoses. */
	private void awaitAdvice(ApplicationContextRunner application, ConnectionDiagnosis... expected) {
		application.run((context) -> {
			assertThat(context).hasNotFailed();
			await("the advice").until(() -> this.log.contains("No connection to"));
			assertThat(this.log.messages()).filteredOn((message) -> message.startsWith("No connection to"))
				.first()
				.matches((message) -> Stream.of(expected)
					.anyMatch((diagnosis) -> message.contains(diagnosis.cause())
							&& message.contains(diagnosis.nextStep())),
						"shows " + List.of(expected));
		});
	}

	@Test
	void rereadsPasswordFileAfterRefusal() throws Exception {
		Path password = Files.writeString(folder.resolve("password"), "wrong\n");
		withCertificate(trusting(application(mosquitto.port()), "ca"))
			.withPropertyValues("statestore.password-file=" + password)
			.run((context) -> {
				await("the refusal").until(() -> this.log.contains(ConnectionDiagnosis.NOT_AUTHORIZED.nextStep())
						|| this.log.contains(ConnectionDiagnosis.LOGIN_REFUSED.nextStep()));
				Files.writeString(password, "sesame\n");
				await("the connection").until(context.getBean(StateStoreConnection.class)::isConnected);
				assertThat(this.log.messages()).noneMatch((message) -> message.contains("sesame"));
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void reportsMissingClientCertificate(boolean tls13) {
		awaitAdvice(trusting(application(tls13 ? mosquitto.port() : tls12), "ca"),
				ConnectionDiagnosis.CLIENT_CERTIFICATE_REFUSED, ConnectionDiagnosis.TLS_REFUSED,
				ConnectionDiagnosis.TLS_CLOSED);
	}

	@Test
	void reportsUntrustedAuthority() {
		awaitAdvice(withCertificate(trusting(application(mosquitto.port()), "other")),
				ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED);
	}

	@Test
	void reportsCertificateForOtherHost() {
		awaitAdvice(withCertificate(trusting(application(mosquitto.port()), "ca"))
			.withPropertyValues("statestore.host=127.0.0.1"), ConnectionDiagnosis.CERTIFICATE_OF_OTHER_HOST);
	}

	@Test
	void reportsTlsOnPlainPort() {
		awaitAdvice(trusting(application(plain), "ca"), ConnectionDiagnosis.TLS_NOT_SPOKEN,
				ConnectionDiagnosis.TLS_CLOSED);
	}

	@Test
	void reportsMissingTls() {
		awaitAdvice(application(tls12), ConnectionDiagnosis.TLS_EXPECTED, ConnectionDiagnosis.CLOSED);
	}

	@Test
	void reportsRequestDeniedByRules() {
		application(plain).withPropertyValues("statestore.username=bob", "statestore.password=sesame")
			.run((context) -> {
				await("the connection").until(context.getBean(StateStoreConnection.class)::isConnected);
				assertThatThrownBy(() -> context.getBean(StateStoreTemplate.class).set("k", "v"))
					.isInstanceOf(StateStoreNotSentException.class)
					.hasMessageContaining(ConnectionDiagnosis.REQUEST_REFUSED.nextStep());
			});
	}

}
