package io.statestore.broker.standalone;

import java.nio.file.Path;

import io.statestore.broker.security.PemFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the certificates of a client's connection to a broker. */
final class ClientTlsOptions {

	@Option(names = { "--ca-file", "--ca" }, paramLabel = "<file>",
			description = "PEM file with the broker's certificate authority, for TLS (default: the certificate "
					+ "authorities that the JVM trusts)")
	private @Nullable Path caFile;

	@Option(names = "--cert", paramLabel = "<file>",
			description = "PEM file with the client certificate and its chain (default: none)")
	private @Nullable Path certificate;

	@Option(names = "--key", paramLabel = "<file>", description = "PEM file with the private key of --cert, in PKCS #8")
	private @Nullable Path key;

	@Option(names = "--key-password-file", paramLabel = "<file>",
			description = "File with the password of --key in its first line (default: the key is not encrypted)")
	private @Nullable Path keyPasswordFile;

	/**
	 * Returns the PEM files.
	 * @throws IllegalArgumentException if a file that another file requires is missing
	 */
	PemFiles files() {
		if ((this.certificate == null) != (this.key == null)) {
			throw new IllegalArgumentException("--cert and --key require each other; set both or neither");
		}
		if (this.keyPasswordFile != null && this.key == null) {
			throw new IllegalArgumentException("--key-password-file requires --cert and --key; add them, or omit it");
		}
		return new PemFiles(this.certificate, this.key, this.keyPasswordFile, this.caFile);
	}

	/**
	 * Refuses the options, because the connection does not use TLS.
	 * @param message the error message, in which {@code %1$s} represents the option
	 * @throws IllegalArgumentException if one of the options is set
	 */
	void refuse(String message) {
		ServerCommand.refuse(message, "--ca-file", this.caFile, "--cert", this.certificate, "--key", this.key,
				"--key-password-file", this.keyPasswordFile);
	}

}
