package io.statestore.broker.certificates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLContext;

import io.statestore.broker.security.PemFiles;

/** Certificates for tests, in files in one directory. */
public final class TestCertificates {

	private static final Duration VALIDITY = Duration.ofDays(2);

	private final Path directory;

	private final CertificateAuthority authority = CertificateAuthority.create("Test CA", VALIDITY);

	/** Creates an authority and a certificate for localhost. */
	public TestCertificates(Path directory) throws IOException {
		this.directory = Files.createDirectories(directory);
		Files.writeString(authorities(), this.authority.certificate().certificatePem());
		issueServer("localhost", "127.0.0.1", "::1");
	}

	/** Replaces the server's certificate. */
	public void issueServer(String... hosts) throws IOException {
		write("server", this.authority.issue(CertificateRequest.server(List.of(hosts), VALIDITY)));
	}

	/** Issues a certificate for a client. */
	public PemFiles client(String name) throws IOException {
		return write(name, this.authority.issue(CertificateRequest.client(name, VALIDITY)))
			.withAuthorities(authorities());
	}

	/** Issues a certificate for a client. */
	public PemFiles client(CertificateRequest request) throws IOException {
		return write(request.name(), this.authority.issue(request)).withAuthorities(authorities());
	}

	/** Issues a certificate that expired yesterday. */
	public PemFiles expired(CertificateRequest request) throws IOException {
		Instant now = Instant.now();
		return write("expired-" + request.name(), this.authority.issue(ending(request, now.minus(Duration.ofDays(1)))))
			.withAuthorities(authorities());
	}

	/** Issues a client certificate that expires at a given time. */
	public PemFiles client(String name, Instant notAfter) throws IOException {
		return write(name, this.authority.issue(ending(CertificateRequest.client(name, VALIDITY), notAfter)))
			.withAuthorities(authorities());
	}

	/**
	 * Returns a request for a certificate that is valid only for the two days before a
	 * given time.
	 */
	private static CertificateRequest ending(CertificateRequest request, Instant notAfter) {
		return new CertificateRequest(request.name(), request.usage(), request.hosts(),
				notAfter.minus(Duration.ofDays(2)), notAfter);
	}

	private PemFiles write(String name, IssuedCertificate issued) throws IOException {
		PemFiles files = PemFiles.of(this.directory.resolve(name + ".pem"), this.directory.resolve(name + "-key.pem"));
		Files.writeString(this.directory.resolve(name + ".pem"), issued.certificatePem());
		Files.writeString(this.directory.resolve(name + "-key.pem"), issued.keyPem());
		return files;
	}

	/** Returns the file with the authority. */
	public Path authorities() {
		return this.directory.resolve("ca.pem");
	}

	/**
	 * Returns the server's files. The server trusts clients with certificates from this
	 * authority.
	 */
	public PemFiles server() {
		return PemFiles.of(this.directory.resolve("server.pem"), this.directory.resolve("server-key.pem"))
			.withAuthorities(authorities());
	}

	/** Returns a file, such as {@code server-key.pem}. */
	public String file(String name) {
		return this.directory.resolve(name).toString();
	}

	/** Returns the server's certificate as PEM. */
	public String serverPem() throws IOException {
		return Files.readString(this.directory.resolve("server.pem"));
	}

	/** Returns a context for clients without a certificate. */
	public SSLContext trust() {
		return PemFiles.trusting(authorities()).newContext();
	}

}
