package io.statestore.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.client.mqtt.ConnectionOptions.Tls;
import org.jspecify.annotations.Nullable;

/** Reader of certificates and keys in PEM files (RFC 7468). */
final class PemFiles {

	private static final Pattern KEY = Pattern
		.compile("-----BEGIN (ENCRYPTED )?PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END");

	private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

	private static final char[] NO_PASSWORD = new char[0];

	private PemFiles() {
	}

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
			trust.init((ca != null) ? trustStore(ca) : null);
			KeyManagerFactory keys = null;
			if (certificate != null && key != null) {
				keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
				keys.init(keyStore(certificate, key, keyPassword), NO_PASSWORD);
			}
			SSLContext context = SSLContext.getInstance("TLS");
			context.init((keys != null) ? keys.getKeyManagers() : null, trust.getTrustManagers(), null);
			return new Tls(context.getSocketFactory(), true, keys, trust);
		}
		catch (GeneralSecurityException | IOException ex) {
			throw CliException.usage("The files of --ca, --cert, and --key are not usable: " + ex.getMessage());
		}
	}

	private static KeyStore trustStore(Path file) throws GeneralSecurityException, IOException {
		KeyStore store = emptyStore();
		int index = 0;
		for (Certificate certificate : certificates("--ca", file)) {
			store.setCertificateEntry("ca-" + index++, certificate);
		}
		return store;
	}

	private static KeyStore keyStore(Path certificate, Path key, @Nullable Path password)
			throws GeneralSecurityException, IOException {
		KeyStore store = emptyStore();
		store.setKeyEntry("client", privateKey(key, password), NO_PASSWORD,
				certificates("--cert", certificate).toArray(Certificate[]::new));
		return store;
	}

	private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
		KeyStore store = KeyStore.getInstance("PKCS12");
		store.load(null, null);
		return store;
	}

	private static Collection<? extends Certificate> certificates(String option, Path file)
			throws CertificateException {
		byte[] content = Settings.read(option, file);
		try {
			Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
				.generateCertificates(new ByteArrayInputStream(content));
			if (!certificates.isEmpty()) {
				return certificates;
			}
		}
		catch (CertificateException ex) {
			// The same message
		}
		throw CliException.usage("The file of " + option + " '" + file
				+ "' contains no certificate; use a PEM file with BEGIN CERTIFICATE");
	}

	private static PrivateKey privateKey(Path file, @Nullable Path passwordFile) throws GeneralSecurityException {
		Matcher pem = KEY.matcher(new String(Settings.read("--key", file), StandardCharsets.ISO_8859_1));
		if (!pem.find()) {
			throw CliException.usage("The file of --key '" + file + "' contains no key in PKCS #8 (BEGIN PRIVATE KEY); "
					+ "convert it with 'openssl pkcs8 -topk8 -nodes'");
		}
		byte[] encoded = Base64.getMimeDecoder().decode(pem.group(2));
		PKCS8EncodedKeySpec spec = (pem.group(1) != null) ? decrypt(file, encoded, passwordFile)
				: new PKCS8EncodedKeySpec(encoded);
		for (String algorithm : ALGORITHMS) {
			try {
				return KeyFactory.getInstance(algorithm).generatePrivate(spec);
			}
			catch (GeneralSecurityException ex) {
				// A key of another algorithm
			}
		}
		throw CliException.usage("The key in the file of --key '" + file + "' is not supported; use RSA, EC, or EdDSA");
	}

	private static PKCS8EncodedKeySpec decrypt(Path file, byte[] encoded, @Nullable Path passwordFile) {
		if (passwordFile == null) {
			throw CliException
				.usage("The key in the file of --key '" + file + "' is encrypted; set --key-password-file");
		}
		String password = Settings.firstLine("--key-password-file", passwordFile);
		try {
			EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encoded);
			// For PBES2, the parameters name the algorithm.
			String name = "PBES2".equals(info.getAlgName()) || "1.2.840.113549.1.5.13".equals(info.getAlgName())
					? info.getAlgParameters().toString() : info.getAlgName();
			Cipher cipher = Cipher.getInstance(name);
			cipher.init(Cipher.DECRYPT_MODE,
					SecretKeyFactory.getInstance(name).generateSecret(new PBEKeySpec(password.toCharArray())),
					info.getAlgParameters());
			return info.getKeySpec(cipher);
		}
		catch (GeneralSecurityException | IOException ex) {
			throw CliException.usage("Cannot decrypt the key in the file of --key '" + file
					+ "'; check the password in the file of --key-password-file: " + ex.getMessage());
		}
	}

}
