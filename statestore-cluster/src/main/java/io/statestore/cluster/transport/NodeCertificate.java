package io.statestore.cluster.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import io.netty.util.NetUtil;

/**
 * Checks the certificate of a connecting node: the hosts in its subject alternative names
 * (RFC 6125), and its purposes (RFC 5280 section 4.2.1.12). For the node that accepts the
 * connection, the JVM checks both.
 */
final class NodeCertificate {

	private static final int DNS_NAME = 2;

	private static final int IP_ADDRESS = 7;

	private static final String SERVER = "1.3.6.1.5.5.7.3.1";

	private static final String CLIENT = "1.3.6.1.5.5.7.3.2";

	private static final String ANY_PURPOSE = "2.5.29.37.0";

	private NodeCertificate() {
	}

	/**
	 * Returns whether a certificate belongs to a node at a host. A node certificate is
	 * valid for both servers and clients, unlike certificates of broker clients, which
	 * may have the same issuer.
	 * @param host host name or IP address
	 */
	static boolean isFor(X509Certificate certificate, String host) {
		try {
			List<String> purposes = certificate.getExtendedKeyUsage();
			if (purposes != null && !purposes.contains(ANY_PURPOSE) && !purposes.containsAll(List.of(SERVER, CLIENT))) {
				return false;
			}
			Collection<List<?>> names = certificate.getSubjectAlternativeNames();
			if (names == null) {
				return false;
			}
			boolean address = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
			return names.stream()
				.anyMatch((name) -> address ? isAddress(name, host)
						: name.get(0).equals(DNS_NAME) && isName((String) name.get(1), host));
		}
		catch (CertificateParsingException ex) {
			return false;
		}
	}

	private static boolean isAddress(List<?> name, String host) {
		try {
			// This does not cause a lookup, because both are literals.
			return name.get(0).equals(IP_ADDRESS)
					&& InetAddress.getByName((String) name.get(1)).equals(InetAddress.getByName(host));
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

	/** Compares names. A wildcard can only replace the entire first label. */
	private static boolean isName(String pattern, String host) {
		String expected = pattern.toLowerCase(Locale.ROOT);
		String actual = host.toLowerCase(Locale.ROOT);
		if (!expected.startsWith("*.")) {
			return expected.equals(actual);
		}
		int dot = actual.indexOf('.');
		return dot > 0 && actual.substring(dot).equals(expected.substring(1));
	}

}
