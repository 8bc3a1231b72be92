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
		Files.writeString(Path.of(certificate(name)), certificate.certificatePem());
		Files.writeString(Path.of(key(name)), certificate.keyPem());
	}

	String certificate(String name) {
		return this.directory.resolve(name + ".crt").toString();
	}

	String key(String name) {
		return this.directory.resolve(name + ".key").toString();
	}

	/** Returns options of our broker for TLS. */
	String[] options() {
		return new String[] { "--tls-cert", certificate("server"), "--tls-key", key("server") };
	}

	/** Returns lines of the configuration of Mosquitto for TLS. */
	String mosquitto() {
		return "certfile " + certificate("server") + "\nkeyfile " + key("server") + '\n';
	}

	/** Returns options of our client that trusts the authority of the server. */
	ConnectionOptions.Tls tls() {
		PemSslStoreDetails authority = PemSslStoreDetails.forCertificate("file:" + certificate("ca"));
		return new ConnectionOptions.Tls(SslBundle.of(new PemSslStoreBundle(null, authority)).createSslContext());
	}

	/**
	 * Returns a context that trusts the authority of the server.
	 * @param client name of the certificate of the client, or {@code null} for none
	 */
	SSLContext context(@Nullable String client) {
		Path authorities = Path.of(certificate("ca"));
		return ((client == null) ? PemFiles.trusting(authorities)
				: PemFiles.of(Path.of(certificate(client)), Path.of(key(client))).withAuthorities(authorities))
			.newContext();
	}

}
