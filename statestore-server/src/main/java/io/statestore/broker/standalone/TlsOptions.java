package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.util.function.Consumer;

import io.statestore.broker.security.PemFiles;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the broker's certificate. */
final class TlsOptions {

	@Option(names = "--tls-cert", paramLabel = "<file>",
			description = "PEM file with the broker's certificate and its chain. All connections are then encrypted "
					+ "with TLS. 'certs' creates a certificate for a trial (default: plain TCP)")
	private @Nullable Path certificate;

	@Option(names = "--tls-key", paramLabel = "<file>",
			description = "PEM file with the private key of --tls-cert, in PKCS #8")
	private @Nullable Path key;

	@Option(names = "--tls-key-password-file", paramLabel = "<file>",
			description = "File with the password of --tls-key in its first line (default: the key is not encrypted)")
	private @Nullable Path keyPasswordFile;

	@Option(names = "--tls-client-ca", paramLabel = "<file>",
			description = "PEM file with the clients' certificate authorities (default: none)")
	private @Nullable Path clientAuthorities;

	@Option(names = "--tls-client-auth", paramLabel = "<clients>",
			description = "Whether clients need a certificate: none, want to accept clients without one, or need "
					+ "(default: need with --tls-client-ca, otherwise none)")
	private @Nullable ClientAuth clientAuth;

	boolean isEnabled() {
		return this.certificate != null;
	}

	/**
	 * Passes the certificate to a builder method if it is set.
	 * @param tls builder method that receives the TLS settings
	 * @throws IllegalArgumentException if options contradict each other, or a file is not
	 * usable
	 */
	void apply(Consumer<ServerTls> tls) {
		if (this.certificate == null) {
			ServerCommand.refuse("""
					%1$s requires a certificate of the broker; add --tls-cert <file> and --tls-key <file>, or omit \
					%1$s to use plain TCP""", "--tls-key", this.key, "--tls-key-password-file", this.keyPasswordFile,
					"--tls-client-ca", this.clientAuthorities, "--tls-client-auth", this.clientAuth);
			return;
		}
		if (this.key == null) {
			throw new IllegalArgumentException("--tls-cert requires the private key; add --tls-key <file>");
		}
		ClientAuth auth = clientAuth();
		if (auth != ClientAuth.NONE && this.clientAuthorities == null) {
			throw new IllegalArgumentException("--tls-client-auth requires the certificate authorities of clients; "
					+ "add --tls-client-ca <file>");
		}
		tls.accept(ServerTls
			.ofPem(new PemFiles(this.certificate, this.key, this.keyPasswordFile, this.clientAuthorities), auth));
	}

	boolean requestsCertificates() {
		return isEnabled() && clientAuth() != ClientAuth.NONE;
	}

	private ClientAuth clientAuth() {
		if (this.clientAuth != null) {
			return this.clientAuth;
		}
		return (this.clientAuthorities != null) ? ClientAuth.NEED : ClientAuth.NONE;
	}

}
