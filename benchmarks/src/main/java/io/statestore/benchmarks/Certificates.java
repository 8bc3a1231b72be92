package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLContext;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority with a server, nodes, and a client whose certificate has
 * expired, and a client of a second authority that the server does not trust.
 *
 * @param directory directory of the files
 */
record Certificates(Path directory) {

	private static final Duration VALIDITY = Duration.ofDays(30);

	/** Creates the files. */
	static Certificates create(Path directory) throws IOException {
		Certificates certificates = new Certificates(directory);
		CertificateAuthority authority = CertificateAuthority.create("ca", VALIDITY);
		CertificateAuthority stranger = CertificateAuthority.create("stranger-ca", VALIDITY);
		Instant expired = Instant.now().minus(VALIDITY);
		certificates.write("ca", authority.certificate());
		certificates.write("server",
				authority.issue(CertificateRequest.server(List.of("localhost", "127.0.0.1"), VALIDITY)));
		certificates.write("node", authority.issue(CertificateRequest.node(List.of("localhost"), VALIDITY)));
		certificates.write("stranger", stranger.issue(CertificateRequest.client("ada", VALIDITY)));
		certificates.write("expired", authority.issue(new CertificateRequest("ada", CertificateRequest.Usage.CLIENT,
				List.of(), expired.minus(VALIDITY), expired)));
		return certificates;
	}

	private void write(String name, IssuedCertificate certificate) throws IOException {
		Files.writeString(certificate(name), certificate.certificatePem());
		Files.writeString(key(name), certificate.keyPem());
	}

	Path certificate(String name) {
		return this.directory.resolve(name + ".crt");
	}

	Path key(String name) {
		return this.directory.resolve(name + ".key");
	}

	/** Returns options of our broker for TLS. */
	String[] options() {
		return new String[] { "--tls-cert", certificate("server").toString(), "--tls-key", key("server").toString() };
	}

	/** Returns lines of the configuration of Mosquitto for TLS. */
	String mosquitto() {
		return "certfile " + certificate("server") + "\nkeyfile " + key("server") + '\n';
	}

	/**
	 * Returns a context that trusts the authority of the server.
	 * @param client name of the certificate of the client, or {@code null} for none
	 */
	SSLContext context(@Nullable String client) throws IOException {
		SslContextBuilder builder = SslContextBuilder.forClient()
			.sslProvider(SslProvider.JDK)
			.trustManager(certificate("ca").toFile());
		if (client != null) {
			builder.keyManager(certificate(client).toFile(), key(client).toFile());
		}
		return ((JdkSslContext) builder.build()).context();
	}

}
