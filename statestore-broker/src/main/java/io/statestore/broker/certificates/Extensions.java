package io.statestore.broker.certificates;

import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.List;

import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;

/** Encodes certificate extensions (RFC 5280 section 4.2). */
final class Extensions {

	/** Identifier of server authentication, 1.3.6.1.5.5.7.3.1. */
	static final String SERVER_AUTH = "2B06010505070301";

	/** Identifier of client authentication, 1.3.6.1.5.5.7.3.2. */
	static final String CLIENT_AUTH = "2B06010505070302";

	private static final byte DIGITAL_SIGNATURE = (byte) 0x80;

	private static final byte CERTIFICATE_AND_CRL_SIGN = 0x06;

	private static final int DNS_NAME = 0x82;

	private static final int IP_ADDRESS = 0x87;

	private static final int KEY_IDENTIFIER = 0x80;

	/** Length of a SHA-1 hash, in bytes, which is the usual size of key identifiers. */
	private static final int KEY_IDENTIFIER_LENGTH = 20;

	private Extensions() {
	}

	static byte[] basicConstraints(boolean authority) {
		return extension(19, true, authority ? Der.sequence(Der.trueValue()) : Der.sequence());
	}

	static byte[] keyUsage(boolean authority) {
		return extension(15, true,
				authority ? Der.bitString(1, CERTIFICATE_AND_CRL_SIGN) : Der.bitString(7, DIGITAL_SIGNATURE));
	}

	static byte[] extendedKeyUsage(List<String> purposes) {
		byte[][] identifiers = purposes.stream().map(Der::objectIdentifier).toArray(byte[][]::new);
		return extension(37, false, Der.sequence(identifiers));
	}

	static byte[] subjectKeyIdentifier(PublicKey key) throws GeneralSecurityException {
		return extension(14, false, Der.octetString(identifier(key)));
	}

	static byte[] authorityKeyIdentifier(PublicKey key) throws GeneralSecurityException {
		return extension(35, false, Der.sequence(Der.encode(KEY_IDENTIFIER, identifier(key))));
	}

	/** Returns the first bytes of the SHA-256 hash of a key (RFC 7093). */
	private static byte[] identifier(PublicKey key) throws GeneralSecurityException {
		byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
		return Arrays.copyOf(hash, KEY_IDENTIFIER_LENGTH);
	}

	/**
	 * Encodes host names and addresses.
	 * @throws IllegalArgumentException if a host is neither a name nor an address
	 */
	static byte[] subjectAlternativeNames(List<String> hosts) {
		return extension(17, false, Der.sequence(hosts.stream().map(Extensions::name).toArray(byte[][]::new)));
	}

	private static byte[] name(String host) {
		byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
		if (address != null) {
			return Der.encode(IP_ADDRESS, address);
		}
		String name;
		try {
			name = IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
		}
		catch (IllegalArgumentException ex) {
			throw notHost(host, ex);
		}
		if (!name.matches("[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63})*") || name.length() > 253) {
			throw notHost(host, null);
		}
		return Der.encode(DNS_NAME, name.getBytes(StandardCharsets.US_ASCII));
	}

	private static IllegalArgumentException notHost(String host, @Nullable Exception cause) {
		return new IllegalArgumentException("'" + host + "' is not a host name or an IP address; "
				+ "use the name with which clients connect, such as broker.example or 192.0.2.7", cause);
	}

	/** Encodes an extension with the identifier 2.5.29.{@code number}. */
	private static byte[] extension(int number, boolean critical, byte[] value) {
		return Der.sequence(Der.objectIdentifier("551D%02X".formatted(number)),
				critical ? Der.trueValue() : new byte[0], Der.octetString(value));
	}

}
