package io.statestore.mqtt;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/**
 * Builder of a TLS context from the contents of PEM files (RFC 7468). Not thread-safe.
 */
public final class PemContext {

	/**
	 * Faster than PKCS12, which would encrypt and decrypt the key with 10,000 rounds
	 * each. The key store stays in memory.
	 */
	private static final String KEY_STORE = "JKS";

	private final SslContextBuilder builder = SslContextBuilder.forClient()
		.sslProvider(SslProvider.JDK)
		.keyStoreType(KEY_STORE);

	private @Nullable KeyManagerFactory keys;

	/**
	 * Sets the certificate to present.
	 * @param certificateFile location of the certificate, for error messages
	 * @param certificate content of the file with the certificate and its chain
	 * @param keyFile location of the key, for error messages
	 * @param key content of the file with the key
	 * @param password content of the password file, {@code null} if the key is not
	 * encrypted
	 * @throws GeneralSecurityException if the certificate or the key is unusable
	 * @throws IOException if the key store in memory cannot be created
	 */
	public void identity(Path certificateFile, byte[] certificate, Path keyFile, byte[] key, byte @Nullable [] password)
			throws GeneralSecurityException, IOException {
		X509Certificate[] chain = certificates(certificateFile, certificate);
		PrivateKey privateKey = privateKey(keyFile, key, password);
		if (!belongTogether(privateKey, chain[0].getPublicKey())) {
			throw new CertificateException("the key in " + keyFile + " does not belong to the first certificate in "
					+ certificateFile + ". Use the key with which the certificate was requested");
		}
		this.keys = Pem.keys(chain, privateKey);
		this.builder.keyManager(this.keys);
	}

	/**
	 * Returns the source of the certificate to present.
	 * @return the source, or {@code null} if there is no certificate
	 */
	public @Nullable KeyManagerFactory keys() {
		return this.keys;
	}

	/**
	 * Sets the certificate authorities to trust; no others are trusted.
	 * @param file location of the authorities, for error messages
	 * @param authorities content of the file
	 * @throws CertificateException if the file contains no usable certificate
	 */
	public void trust(Path file, byte[] authorities) throws CertificateException {
		this.builder.trustManager(certificates(file, authorities));
	}

	/**
	 * Creates a context, which works for both sides of a connection.
	 * @return a new context, which trusts the JVM's defaults unless authorities are set
	 * @throws IOException if the context cannot be created
	 */
	public SSLContext create() throws IOException {
		return ((JdkSslContext) this.builder.build()).context();
	}

	private static X509Certificate[] certificates(Path file, byte[] content) throws CertificateException {
		try {
			return Pem.certificates(content);
		}
		catch (CertificateException ex) {
			throw new CertificateException(
					file + " contains no usable certificate. Use a PEM file with BEGIN CERTIFICATE", ex);
		}
	}

	private static PrivateKey privateKey(Path file, byte[] content, byte @Nullable [] password)
			throws InvalidKeyException {
		String text = new String(content, StandardCharsets.ISO_8859_1);
		if (!text.contains("PRIVATE KEY-----")) {
			throw new InvalidKeyException(file + " contains no key. Use a PEM file with BEGIN PRIVATE KEY, or "
					+ "convert the key with 'openssl pkcs8 -topk8 -nodes'");
		}
		boolean encrypted = text.contains("BEGIN ENCRYPTED PRIVATE KEY");
		if (encrypted && password == null) {
			throw new InvalidKeyException("the key in " + file + " is encrypted. Set the file with its password");
		}
		try {
			return Pem.privateKey(content, encrypted ? firstLine(password) : null);
		}
		catch (GeneralSecurityException | IOException | RuntimeException ex) {
			// JDK exceptions may contain parts of the key or the password.
			throw new InvalidKeyException(
					encrypted ? "cannot decrypt the key in " + file + ". Check the file with its password"
							: "the key in " + file
									+ " is not in PKCS #8, or its algorithm is not supported. Use RSA or EC, "
									+ "and convert it with 'openssl pkcs8 -topk8 -nodes'");
		}
	}

	private static String firstLine(byte @Nullable [] content) {
		return (content != null) ? new String(content, StandardCharsets.UTF_8).lines().findFirst().orElse("") : "";
	}

	/**
	 * Returns whether a signature made with the private key is valid for the public key.
	 */
	private static boolean belongTogether(PrivateKey privateKey, PublicKey publicKey) throws GeneralSecurityException {
		if (!privateKey.getAlgorithm().equals(publicKey.getAlgorithm())) {
			return false;
		}
		String algorithm = switch (publicKey.getAlgorithm()) {
			case "EC" -> "SHA256withECDSA";
			case "RSA" -> "SHA256withRSA";
			default -> publicKey.getAlgorithm();
		};
		byte[] text = "statestore".getBytes(StandardCharsets.US_ASCII);
		Signature signature = Signature.getInstance(algorithm);
		signature.initSign(privateKey);
		signature.update(text);
		byte[] signed = signature.sign();
		signature.initVerify(publicKey);
		signature.update(text);
		try {
			return signature.verify(signed);
		}
		catch (GeneralSecurityException ex) {
			// The keys have different lengths or curves.
			return false;
		}
	}

	/** Provides access to Netty's protected PEM readers. Never instantiated. */
	private abstract static class Pem extends SslContext {

		static X509Certificate[] certificates(byte[] content) throws CertificateException {
			X509Certificate[] certificates = toX509Certificates(new ByteArrayInputStream(content));
			if (certificates == null || certificates.length == 0) {
				throw new CertificateException("no certificate");
			}
			return certificates;
		}

		static KeyManagerFactory keys(X509Certificate[] chain, PrivateKey key)
				throws GeneralSecurityException, IOException {
			return buildKeyManagerFactory(chain, KeyManagerFactory.getDefaultAlgorithm(), key, null, null, KEY_STORE);
		}

		static PrivateKey privateKey(byte[] content, @Nullable String password)
				throws GeneralSecurityException, IOException {
			PrivateKey key = toPrivateKey(new ByteArrayInputStream(content), password);
			if (key == null) {
				throw new InvalidKeyException("no key");
			}
			return key;
		}

	}

}
