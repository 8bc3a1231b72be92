package io.statestore.broker.standalone;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.security.PemFiles;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CertsCommandTests {

	private final TestCommand command = new TestCommand();

	private final Path directory;

	CertsCommandTests(@TempDir Path parent) {
		this.directory = parent.resolve("certs");
	}

	private int run(String... options) {
		List<String> arguments = new ArrayList<>(List.of("certs", "--directory", this.directory.toString()));
		arguments.addAll(List.of(options));
		return this.command.run(arguments.toArray());
	}

	private String content() throws Exception {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.map((file) -> file.getFileName().toString()).sorted().collect(Collectors.joining(" "));
		}
	}

	private X509Certificate certificate(String name) throws Exception {
		return (X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(Files.newInputStream(this.directory.resolve(name + ".pem")));
	}

	@Test
	void createsNodeCertificates() throws Exception {
		assertThat(run("--node", "a=a.local,192.0.2.7", "b=b.local")).as("%s", this.command.errors()).isZero();
		assertThat(content()).isEqualTo("ca-key.pem ca.pem node-a-key.pem node-a.pem node-b-key.pem node-b.pem");
		assertThat(certificate("node-a").getSubjectAlternativeNames().stream().map((name) -> name.get(1).toString()))
			.containsExactly("a.local", "192.0.2.7");
		// Server and client authentication
		assertThat(certificate("node-b").getExtendedKeyUsage()).containsExactlyInAnyOrder("1.3.6.1.5.5.7.3.1",
				"1.3.6.1.5.5.7.3.2");
		assertThat(this.command.output())
			.contains("--node b --peers a=a.local:1885,b=b.local:1885 --data-directory data --node-cert "
					+ this.directory.resolve("node-b.pem"), "--new-cluster");
	}

	@ParameterizedTest
	@ValueSource(strings = { "=host", "a/b=host", "a=", "a=b,,c" })
	void refusesInvalidNode(String node) {
		assertThat(run("--node", node)).isEqualTo(2);
		assertThat(this.directory).doesNotExist();
	}

	@Test
	void refusesNodeAndClientWithSameFile() {
		assertThat(run("--node", "a=a.local", "--client", "node-a")).isEqualTo(2);
		assertThat(this.command.errors()).contains("'node-a'", "use other names");
	}

	@Test
	void createsAuthorityServerAndClients() throws Exception {
		assertThat(run("--host", "broker.example", "192.0.2.7", "::1", "münchen.example", "--client", "press-1", "ada"))
			.as("%s", this.command.errors())
			.isZero();
		assertThat(content()).isEqualTo(
				"ada-key.pem ada.pem ca-key.pem ca.pem press-1-key.pem press-1.pem " + "server-key.pem server.pem");
		for (String key : List.of("ca-key.pem", "server-key.pem", "press-1-key.pem")) {
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(this.directory.resolve(key))))
				.isEqualTo("rw-------");
		}
		assertThat(certificate("server").getSubjectAlternativeNames().stream().map((name) -> name.get(1).toString()))
			.containsExactly("broker.example", "192.0.2.7", "0:0:0:0:0:0:0:1", "xn--mnchen-3ya.example");
		assertThat(certificate("press-1").getSubjectX500Principal().getName()).isEqualTo("CN=press-1");
		certificate("ada").verify(certificate("ca").getPublicKey());
		assertThat(certificate("ca").getBasicConstraints()).isEqualTo(Integer.MAX_VALUE);
		assertThat(certificate("ada").getBasicConstraints()).isEqualTo(-1);
		assertThat(PemFiles.of(this.directory.resolve("ada.pem"), this.directory.resolve("ada-key.pem")).newContext())
			.isNotNull();
		assertThat(this.command.output()).contains("--tls-cert " + this.directory.resolve("server.pem"), "--tls-key",
				"--tls-client-ca", "--cert " + this.directory.resolve("press-1.pem"), "secret");
	}

	@Test
	@RequiresProgram("openssl")
	void opensslVerifiesCertificates() throws Exception {
		run("--host", "localhost", "--client", "press-1");
		verify("sslserver", "server.pem");
		verify("sslclient", "press-1.pem");
	}

	private void verify(String purpose, String file) throws Exception {
		Process process = new ProcessBuilder("openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile",
				this.directory.resolve("ca.pem").toString(), this.directory.resolve(file).toString())
			.redirectErrorStream(true)
			.start();
		String result = new String(process.getInputStream().readAllBytes());
		assertThat(process.waitFor()).as(result).isZero();
	}

	@Test
	void addsClientsWithSameAuthority() throws Exception {
		run("--host", "localhost");
		X509Certificate authority = certificate("ca");
		assertThat(run("--client", "press-2")).isZero();
		assertThat(certificate("ca")).isEqualTo(authority);
		certificate("press-2").verify(authority.getPublicKey());
	}

	@Test
	void replacesFilesOnlyWithForceAndKeepsAuthority() throws Exception {
		run("--host", "localhost", "--client", "press-1");
		X509Certificate authority = certificate("ca");
		X509Certificate server = certificate("server");
		String before = content();
		assertThat(run("--client", "press-2", "press-1")).isOne();
		assertThat(this.command.errors()).contains("press-1.pem' exists. Use --force to replace it");
		assertThat(content()).isEqualTo(before);
		assertThat(run("--host", "localhost", "--force")).isZero();
		assertThat(certificate("server")).isNotEqualTo(server);
		assertThat(certificate("ca")).isEqualTo(authority);
	}

	@Test
	void changesNothingIfAuthorityIsIncomplete() throws Exception {
		run("--host", "localhost");
		Files.delete(this.directory.resolve("ca-key.pem"));
		String before = content();
		assertThat(run("--client", "press-1", "--force")).isOne();
		assertThat(this.command.errors()).contains("ca-key.pem' cannot be read", "Nothing was changed");
		assertThat(content()).isEqualTo(before);
	}

	@ParameterizedTest
	@ValueSource(strings = { "--client ../x", "--client a/b", "--client .x", "--client -", "--client ca",
			"--client server", "--client x-key", "--client CA", "--client Server", "--client x-Key", "--client x x",
			"--host a_b", "--host *.example", "--host 1.2.3.4.5:1", "--host a..b", "--host x --days 0", "--force" })
	void refusesInvalidOption(String options) {
		assertThat(run(options.split(" "))).isEqualTo(2);
		assertThat(this.command.errors()).contains("Usage:");
		assertThat(this.directory.resolve("server.pem")).doesNotExist();
		assertThat(this.directory.resolve("x.pem")).doesNotExist();
	}

}
