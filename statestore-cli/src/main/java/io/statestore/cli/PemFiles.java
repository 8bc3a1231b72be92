package io.statestore.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.netty.handler.ssl.SslContext;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import org.jspecify.annotations.Nullable;

/**
 * Reads certificates and keys from PEM files (RFC 7468). Extends {@code SslContext},
 * because Netty's readers are protected. Has no instances.
 */
abstract class PemFiles extends SslContext {

	/**
	 * Returns TLS settings.
	 * @param ca file with trusted certificates; {@code null} to use Java's defaults
	 * @param certificate file with the client's certificate chain; {@code null} for no
	 * client certificate
	 * @param key file with the certificate's private key
	 * @param keyPassword file with the key's password; {@code null} if the key is not
	 * encrypted
	 * @throws CliException if a file cannot be read or its content is unusable
	 */
	static Tls tls(@Nullable Path ca, @Nullable Path certificate, @Nullable Path key, @Nullable Path keyPassword) {
		try {
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			if (ca != null) {
				trust = buildTrustManagerFactory(certificates("--ca", ca), trust, null);
			}
			else {
				trust.init((KeyStore) null);
			}
			KeyManagerFactory keys = (certificate != null && key != null)
					? buildKeyManagerFactory(certificates("--cert", certificate),
							KeyManagerFactory.getDefaultAlgorithm(), privateKey(key, keyPassword), null, null, null)
					: null;
			SSLContext context = SSLContext.getInstance("TLS");
			context.init((keys != null) ? keys.getKeyManagers() : null, trust.getTrustManagers(), null);
			return new Tls(context, true, keys);
		}
		catch (GeneralSecurityException | IOException ex) {
			throw CliException.usage("The files of --ca, --cert, and --key are not usable: " + ex.getMessage());
		}
	}

	private static X509Certificate[] certificates(String option, Path file) {
		byte[] content = Settings.read(option, file);
		try {
			X509Certificate[] certificates = toX509Certificates(new ByteArrayInputStream(content));
			if (certificates != null) {
				return certificates;
			}
		}
		catch (CertificateException ex) {
			// Reported with the message below.
		}
		throw CliException.usage("The file of " + option + " '" + file
				+ "' contains no certificate; use a PEM file with BEGIN CERTIFICATE");
	}

	private static PrivateKey privateKey(Path file, @Nullable Path passwordFile) {
		byte[] content = Settings.read("--key", file);
		boolean encrypted = new String(content, StandardCharsets.ISO_8859_1).contains("BEGIN ENCRYPTED PRIVATE KEY");
		CliException.require(!encrypted || passwordFile != null,
				"The key in the file of --key '" + file + "' is encrypted; set --key-password-file");
		String password = (encrypted && passwordFile != null) ? Settings.firstLine("--key-password-file", passwordFile)
				: null;
		try {
			return toPrivateKey(new ByteArrayInputStream(content), password);
		}
		catch (GeneralSecurityException | IOException | RuntimeException ex) {
			// Omits the cause, because JDK exceptions may contain parts of the key or
			// password.
			throw CliException.usage(encrypted
					? "Cannot decrypt the key in the file of --key '" + file
							+ "'; check the password in the file of --key-password-file"
					: "The file of --key '" + file + "' contains no RSA or EC key in PKCS #8 (BEGIN PRIVATE KEY); "
							+ "convert it with 'openssl pkcs8 -topk8 -nodes'");
		}
	}

}
