package io.statestore.dafka.node.internal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

/** Resolves host names to IPv4 addresses. */
@FunctionalInterface
interface HostResolver {

	/** Resolver that uses the name service of the operating system. */
	HostResolver SYSTEM = HostResolver::lookUp;

	/**
	 * Resolves a name. May take many seconds if the name service is unavailable.
	 * @param host host name or IP address
	 * @return an IPv4 address, or {@code null} if there is none
	 */
	@Nullable String resolve(String host);

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
