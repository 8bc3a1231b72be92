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
 * Reader of certificates and keys in PEM files (RFC 7468). A subclass, because the
 * readers of Netty are protected. Has no instances.
 */
abstract class PemFiles extends SslContext {

	/**
	 * Returns TLS settings.
	 * @param ca file with trusted certificates, {@code null} for those that Java trusts
	 * @param certificate file with the client's own certificate and its chain,
	 * {@code null} for none
	 * @param key file with its private key
	 * @param keyPassword file with the password of the key, {@code null} for none
	 * @throws CliException if a file is not readable or its content is not usable
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
			// The same message
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
			// The exceptions of the JDK may contain parts of the key or the password.
			throw CliException.usage(encrypted
					? "Cannot decrypt the key in the file of --key '" + file
							+ "'; check the password in the file of --key-password-file"
					: "The file of --key '" + file + "' contains no RSA or EC key in PKCS #8 (BEGIN PRIVATE KEY); "
							+ "convert it with 'openssl pkcs8 -topk8 -nodes'");
		}
	}

}
