package io.statestore.broker.certificates;

import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;

/**
 * A certificate with its private key.
 * <p>
 * Internal: not part of the API.
 *
 * @param certificate the certificate, which has the key's public half
 * @param key the certificate's private key
 */
public record IssuedCertificate(X509Certificate certificate, PrivateKey key) {

	/**
	 * Returns the certificate as PEM.
	 * @return the content for a PEM file
	 */
	public String certificatePem() {
		try {
			return pem("CERTIFICATE", this.certificate.getEncoded());
		}
		catch (CertificateEncodingException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the private key as PEM, in unencrypted PKCS #8.
	 * @return the content for a PEM file
	 */
	public String keyPem() {
		return pem("PRIVATE KEY", this.key.getEncoded());
	}

	private static String pem(String label, byte[] content) {
		String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
		return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
	}

	@Override
	public String toString() {
		return "IssuedCertificate[" + this.certificate.getSubjectX500Principal() + ']';
	}

}
