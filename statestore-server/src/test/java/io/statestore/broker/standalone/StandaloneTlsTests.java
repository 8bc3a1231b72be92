package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.JavaProcess;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests TLS between programs: the broker, its health check, OpenSSL, and Mosquitto. */
@Timeout(60)
class StandaloneTlsTests {

	private static TestCertificates certificates;

	private static StateStoreBroker open;

	private static StateStoreBroker strict;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		certificates = new TestCertificates(directory);
		certificates.client("press-1");
		open = TestCommand.start((Object[]) options());
		strict = TestCommand.start((Object[]) options("--tls-client-ca", certificates.file("ca.pem")));
	}

	/** Returns options for a broker with TLS. */
	private static String[] options(String... more) {
		return Stream.concat(Stream.of("--port", "0", "--tls-cert", certificates.file("server.pem"), "--tls-key",
				certificates.file("server-key.pem")), Stream.of(more))
			.toArray(String[]::new);
	}

	@AfterAll
	static void stop() {
		open.close();
		strict.close();
	}

	@Test
	void describesRequiredClientCertificate() {
		assertThat(open.access()).isEqualTo("anonymous clients on this machine only");
		assertThat(strict.access())
			.isEqualTo("anonymous clients on this machine only, all of them with a client certificate");
	}

	@Tag("long")
	@Test
	void logsAddressScheme() {
		try (JavaProcess process = StandaloneProcess.launch(options())) {
			process.await("listens on mqtts://localhost:");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "--tls-cert server.pem | add --tls-key <file>",
			"--tls-key server-key.pem | add --tls-cert <file>", "--tls-client-auth need | add --tls-cert <file>",
			"--tls-cert server.pem --tls-key server-key.pem --tls-client-auth want | add --tls-client-ca <file>",
			"--certificate-username-field common-name | add --tls-client-ca <file>",
			"--certificate-username-field cn | use one of common-name, subject, dns, uri, email",
			"--tls-cert server.pem --tls-key server-key.pem --certificate-username-field dns | add --tls-client-ca <file>",
			"--tls-cert none.pem --tls-key server-key.pem | none.pem does not exist",
			"--tls-cert ca.pem --tls-key server-key.pem | does not belong to the first certificate in",
			"--tls-cert server.pem --tls-key server.pem | contains no key",
			"--max-connections-per-address 0 | --max-connections-per-address must be at least 1, but is 0",
			"gateway mqtts://localhost:1 --cert press-1.pem | --cert and --key require each other",
			"gateway mqtt://localhost:1 --cert press-1.pem | --cert requires TLS",
			"health --ca-file ca.pem | --ca-file requires TLS; add --tls",
			"health --ca ca.pem | --ca-file requires TLS",
			"health --tls --cert press-1.pem --key press-1-key.pem | --cert requires --ca-file" })
	void refusesOptions(String options, String message) {
		List<String> arguments = new ArrayList<>();
		for (String option : options.split(" ")) {
			arguments.add(option.endsWith(".pem") ? certificates.file(option) : option);
		}
		TestCommand command = new TestCommand();
		assertThat(command.run(arguments.toArray())).isEqualTo(2);
		assertThat(command.errors()).contains(message, "Usage:");
	}

	@Test
	void checksHealth() {
		String authority = certificates.file("ca.pem");
		assertThat(health("--tls", "--port", open.port())).isEmpty();
		assertThat(health("--tls", "--ca-file", authority, "--port", open.port())).isEmpty();
		assertThat(health("--tls", "--ca-file", authority, "--port", strict.port(), "--cert",
				certificates.file("press-1.pem"), "--key", certificates.file("press-1-key.pem")))
			.isEmpty();
		assertThat(health("--tls", "--ca-file", certificates.file("press-1.pem"), "--port", open.port()))
			.contains("No broker answers on localhost:" + open.port());
		assertThat(health("--port", open.port())).isNotEmpty();
		// Without the alert, the check could not know that only a certificate is missing.
		for (int i = 0; i < 20; i++) {
			assertThat(health("--tls", "--port", strict.port())).isEmpty();
		}
	}

	private static String health(Object... options) {
		TestCommand command = new TestCommand();
		int exitCode = command.run(Stream.concat(Stream.of("health"), Stream.of(options)).toArray());
		assertThat(exitCode).as("%s", command.errors()).isEqualTo(command.errors().isEmpty() ? 0 : 1);
		return command.errors();
	}

	@Test
	@RequiresProgram("openssl")
	void refusesTls11() throws Exception {
		assertThat(openssl("Q", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")).contains("alert protocol version");
		assertThat(openssl("Q", "-tls1_2")).contains("Verify return code: 0", "TLSv1.2");
		assertThat(openssl("Q", "-tls1_3")).contains("TLSv1.3");
	}

	@Test
	@RequiresProgram("openssl")
	void endsOpensslRenegotiation() throws Exception {
		assertThat(openssl("R", "-tls1_2")).contains("RENEGOTIATING").doesNotContain("DONE");
	}

	/** Connects with s_client, sends a line, and returns the complete output. */
	private static String openssl(String line, String... options) throws Exception {
		List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-connect", "localhost:" + open.port(),
				"-CAfile", certificates.authorities().toString(), "-verify_hostname", "localhost"));
		command.addAll(List.of(options));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			process.getOutputStream().write((line + '\n').getBytes());
			process.getOutputStream().flush();
			assertThat(process.waitFor(8, TimeUnit.SECONDS)).as("The program ends").isTrue();
			return new String(process.getInputStream().readAllBytes());
		}
		finally {
			process.destroyForcibly();
		}
	}

	@Test
	@RequiresProgram("mosquitto_pub")
	void servesMosquittoClient() throws Exception {
		assertThat(publish(open.port())).isZero();
		assertThat(publish(strict.port())).isNotZero();
		assertThat(publish(strict.port(), "--cert", certificates.file("press-1.pem"), "--key",
				certificates.file("press-1-key.pem")))
			.isZero();
	}

	private static int publish(int port, String... options) throws Exception {
		List<String> command = new ArrayList<>(List.of("mosquitto_pub", "-h", "localhost", "-p", Integer.toString(port),
				"--cafile", certificates.authorities().toString(), "-q", "1", "-V", "5", "-t", "t", "-m", "m"));
		command.addAll(List.of(options));
		return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
	}

	@Test
	@RequiresProgram("mosquitto")
	void gatewayPresentsAndReloadsCertificate(@TempDir Path folder) throws Exception {
		TestCertificates own = new TestCertificates(folder);
		PemFiles gateway = own.client("gateway");
		try (Mosquitto mosquitto = Mosquitto.start(folder, "cafile {folder}/ca.pem", "certfile {folder}/server.pem",
				"keyfile {folder}/server-key.pem", "require_certificate true", "use_subject_as_username true",
				"allow_anonymous false");
				StateStoreGateway running = StateStoreGateway.builder()
					.host("localhost")
					.port(mosquitto.port())
					.tls(gateway)
					.start()) {
			assertThat(running.isServing()).isTrue();
			assertThat(mosquitto.log()).contains("CN=gateway");
			own.client("gateway");
			mosquitto.restart();
			await("the reconnect").until(running::isServing);
		}
	}

}
