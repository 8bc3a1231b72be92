package io.statestore.broker.certificates;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;

import javax.security.auth.x500.X500Principal;

import io.statestore.broker.certificates.CertificateRequest.Usage;

/**
 * A certificate authority (RFC 5280) that keeps its key in memory, for demonstrations and
 * tests. All keys use the P-256 elliptic curve. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class CertificateAuthority {

	/** Identifier of ECDSA with SHA-256, 1.2.840.10045.4.3.2 (RFC 5758). */
	private static final byte[] SIGNATURE_ALGORITHM = Der.sequence(Der.objectIdentifier("2A8648CE3D040302"));

	private static final int VERSION_3 = 2;

	private static final int SERIAL_NUMBER_BITS = 127;

	private final IssuedCertificate issuer;

	private CertificateAuthority(IssuedCertificate issuer) {
		this.issuer = issuer;
	}

	/**
	 * Creates an authority with a new key.
	 * @param name the authority's common name
	 * @param validity time until its certificate expires
	 * @return a new authority
	 */
	public static CertificateAuthority create(String name, Duration validity) {
		try {
			KeyPair keys = newKeys();
			CertificateRequest request = CertificateRequest.authority(name, validity);
			return new CertificateAuthority(sign(request, keys, subject(name), keys.getPublic(), keys.getPrivate()));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to create a certificate authority", ex);
		}
	}

	/**
	 * Returns an authority with an existing certificate.
	 * @param issuer the certificate and its key, which must be an elliptic curve key
	 * @return an authority that issues certificates with this key
	 */
	public static CertificateAuthority of(IssuedCertificate issuer) {
		return new CertificateAuthority(issuer);
	}

	/**
	 * Returns this authority's certificate.
	 * @return the certificate with its private key
	 */
	public IssuedCertificate certificate() {
		return this.issuer;
	}

	/**
	 * Issues a certificate with a new key.
	 * @param request the certificate's content
	 * @return a new certificate
	 * @throws IllegalArgumentException if a host is not a name or an address
	 */
	public IssuedCertificate issue(CertificateRequest request) {
		try {
			X509Certificate own = this.issuer.certificate();
			return sign(request, newKeys(), own.getSubjectX500Principal(), own.getPublicKey(), this.issuer.key());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to issue a certificate", ex);
		}
	}

	private static KeyPair newKeys() throws GeneralSecurityException {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
		generator.initialize(new ECGenParameterSpec("secp256r1"));
		return generator.generateKeyPair();
	}

	/** Returns the subject with a common name, which is quoted and escaped. */
	private static X500Principal subject(String name) {
		return new X500Principal("CN=\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
	}

	private static IssuedCertificate sign(CertificateRequest request, KeyPair keys, X500Principal issuer,
			PublicKey issuerKey, PrivateKey signingKey) throws GeneralSecurityException {
		byte[] certificate = Der.sequence(Der.encode(0xA0, Der.integer(BigInteger.valueOf(VERSION_3))),
				Der.integer(new BigInteger(SERIAL_NUMBER_BITS, new SecureRandom()).setBit(SERIAL_NUMBER_BITS - 1)),
				SIGNATURE_ALGORITHM, issuer.getEncoded(),
				Der.sequence(Der.time(request.notBefore()), Der.time(request.notAfter())),
				subject(request.name()).getEncoded(), keys.getPublic().getEncoded(),
				Der.encode(0xA3, extensions(request, keys.getPublic(), issuerKey)));
		Signature signature = Signature.getInstance("SHA256withECDSA");
		signature.initSign(signingKey);
		signature.update(certificate);
		byte[] signed = Der.sequence(certificate, SIGNATURE_ALGORITHM, Der.bitString(0, signature.sign()));
		return new IssuedCertificate((X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(signed)), keys.getPrivate());
	}

	private static byte[] extensions(CertificateRequest request, PublicKey key, PublicKey issuerKey)
			throws GeneralSecurityException {
		boolean authority = request.usage() == Usage.AUTHORITY;
		return Der.sequence(Extensions.basicConstraints(authority), Extensions.keyUsage(authority),
				Extensions.subjectKeyIdentifier(key), Extensions.authorityKeyIdentifier(issuerKey),
				authority ? new byte[0] : Extensions.extendedKeyUsage(request.usage().purposes()),
				request.hosts().isEmpty() ? new byte[0] : Extensions.subjectAlternativeNames(request.hosts()));
	}

}
