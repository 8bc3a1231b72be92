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
 * Hosts that a certificate is valid for: the subject alternative names (RFC 6125). The
 * JVM checks them for the node that accepts a connection. This class does so for the node
 * that connects.
 */
final class CertificateHosts {

	private static final int DNS_NAME = 2;

	private static final int IP_ADDRESS = 7;

	private CertificateHosts() {
	}

	/** Returns whether a certificate is valid for a host name or an IP address. */
	static boolean covers(X509Certificate certificate, String host) {
		try {
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
			// No lookup, because both are literals.
			return name.get(0).equals(IP_ADDRESS)
					&& InetAddress.getByName((String) name.get(1)).equals(InetAddress.getByName(host));
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

	/** Compares names. A wildcard replaces the entire first label only. */
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
