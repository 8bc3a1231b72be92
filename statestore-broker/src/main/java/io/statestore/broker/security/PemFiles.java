package io.statestore.broker.security;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.mqtt.PemContext;
import org.jspecify.annotations.Nullable;

/**
 * PEM files (RFC 7468) with the certificates and the key for one side of a TLS
 * connection. Immutable.
 *
 * @param certificate file with this side's certificate, followed by its issuers'
 * certificates except the root; {@code null} for none
 * @param key file with the certificate's private key, in PKCS #8; {@code null} for none
 * @param keyPasswordFile file with the key's password on its first line, {@code null} if
 * the key is not encrypted
 * @param authorities file with the trusted certificate authorities, {@code null} to trust
 * the JVM's defaults
 */
public record PemFiles(@Nullable Path certificate, @Nullable Path key, @Nullable Path keyPasswordFile,
		@Nullable Path authorities) {

	public PemFiles {
		if ((certificate == null) != (key == null)) {
			throw new IllegalArgumentException(
					"The files of the certificate and of its key require each other; set both or neither");
		}
		if (keyPasswordFile != null && key == null) {
			throw new IllegalArgumentException(
					"The file with the password of the key requires a key; set the files of the key and its "
							+ "certificate as well, or omit it");
		}
	}

	/**
	 * Returns files with a certificate to present.
	 * @param certificate file with the certificate and its chain
	 * @param key file with the private key
	 * @return new files, without trusted certificate authorities
	 */
	public static PemFiles of(Path certificate, Path key) {
		return new PemFiles(certificate, key, null, null);
	}

	/**
	 * Returns files without a certificate to present.
	 * @param authorities file with the trusted certificate authorities
	 * @return new files, without a certificate and key
	 */
	public static PemFiles trusting(Path authorities) {
		return new PemFiles(null, null, null, authorities);
	}

	/**
	 * Returns a copy that trusts certificate authorities.
	 * @param authorities file with the trusted certificate authorities
	 * @return a copy of these files
	 */
	public PemFiles withAuthorities(Path authorities) {
		return new PemFiles(this.certificate, this.key, this.keyPasswordFile, authorities);
	}

	/**
	 * Reads the files.
	 * @return a new TLS context
	 * @throws IllegalArgumentException if a file cannot be read or used. The message
	 * names the file and explains how to fix the problem
	 */
	public SSLContext newContext() {
		return WatchedFile.once(paths(), this::newContext).current();
	}

	/**
	 * Reads the files, and reads them again within two seconds of a change. If the files
	 * become invalid or are missing, the previous context remains in use and an error is
	 * logged.
	 * @return a thread-safe supplier of the current context, which does not block
	 * @throws IllegalArgumentException if a file cannot be read or used. The message
	 * names the file and explains how to fix the problem
	 */
	public Supplier<SSLContext> watch() {
		WatchedFile<SSLContext> context = WatchedFile.of(paths(), this::newContext, (before, after) -> {
		});
		return context::current;
	}

	/** Returns the files that are set. */
	List<Path> paths() {
		List<Path> paths = new ArrayList<>();
		for (Path path : new Path[] { this.certificate, this.key, this.keyPasswordFile, this.authorities }) {
			if (path != null) {
				paths.add(path);
			}
		}
		return paths;
	}

	/**
	 * Creates a context.
	 * @param contents the contents of {@link #paths()}
	 */
	SSLContext newContext(List<byte[]> contents) throws Exception {
		List<Path> paths = paths();
		PemContext context = new PemContext();
		if (this.certificate != null && this.key != null) {
			byte[] password = (this.keyPasswordFile != null) ? contents.get(paths.indexOf(this.keyPasswordFile)) : null;
			context.identity(this.certificate, contents.get(0), this.key, contents.get(1), password);
		}
		if (this.authorities != null) {
			context.trust(this.authorities, contents.get(contents.size() - 1));
		}
		return context.create();
	}

}
