package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLContext;

import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.security.PemFiles;
import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/**
 * Certificates of a server, of nodes, and of a client whose certificate has expired, all
 * from one authority; and of a client from a second authority that the server does not
 * trust.
 *
 * @param directory directory with the files
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
		Files.writeString(Path.of(certificate(name)), certificate.certificatePem());
		Files.writeString(Path.of(key(name)), certificate.keyPem());
	}

	String certificate(String name) {
		return this.directory.resolve(name + ".crt").toString();
	}

	String key(String name) {
		return this.directory.resolve(name + ".key").toString();
	}

	/** Returns our broker's TLS options. */
	String[] options() {
		return new String[] { "--tls-cert", certificate("server"), "--tls-key", key("server") };
	}

	/** Returns TLS lines for Mosquitto's configuration. */
	String mosquitto() {
		return "certfile " + certificate("server") + "\nkeyfile " + key("server") + '\n';
	}

	/** Returns TLS options with which our client trusts the server's authority. */
	ConnectionOptions.Tls tls() {
		PemSslStoreDetails authority = PemSslStoreDetails.forCertificate("file:" + certificate("ca"));
		return new ConnectionOptions.Tls(SslBundle.of(new PemSslStoreBundle(null, authority)).createSslContext());
	}

	/**
	 * Returns a context that trusts the server's authority.
	 * @param client name of the client certificate, or {@code null} for none
	 */
	SSLContext context(@Nullable String client) {
		Path authorities = Path.of(certificate("ca"));
		return ((client == null) ? PemFiles.trusting(authorities)
				: PemFiles.of(Path.of(certificate(client)), Path.of(key(client))).withAuthorities(authorities))
			.newContext();
	}

}
