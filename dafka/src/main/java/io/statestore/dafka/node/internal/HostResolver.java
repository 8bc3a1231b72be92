package io.statestore.dafka.node.internal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Resolver of host names to IPv4 addresses. */
@FunctionalInterface
interface HostResolver {

	/** Resolver that uses the name service of the operating system. */
	HostResolver SYSTEM = HostResolver::lookUp;

	/** Pattern of an IPv4 address, without the range of its parts. */
	Pattern LITERAL = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

	/**
	 * Resolves a name. Takes many seconds if the name service is unavailable.
	 * @param host host name or IP address
	 * @return an IPv4 address, or {@code null} if there is none
	 */
	@Nullable String resolve(String host);

	/**
	 * Returns whether a host is an IPv4 address, which needs no name service.
	 * @param host host name or IP address
	 * @return whether it is an IPv4 address
	 */
	static boolean isAddress(String host) {
		if (!LITERAL.matcher(host).matches()) {
			return false;
		}
		for (String part : host.split("\\.")) {
			if (Integer.parseInt(part) > 255) {
				return false;
			}
		}
		return true;
	}

	private static @Nullable String lookUp(String host) {
		try {
			for (InetAddress address : InetAddress.getAllByName(host)) {
				if (address instanceof Inet4Address) {
					return address.getHostAddress();
				}
			}
			return null;
		}
		catch (UnknownHostException | SecurityException ex) {
			return null;
		}
	}

}
