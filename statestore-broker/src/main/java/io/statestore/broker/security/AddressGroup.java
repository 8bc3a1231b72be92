package io.statestore.broker.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;

/**
 * Groups addresses that a single machine may use. For IPv6, a group is all addresses with
 * the same first 64 bits, because a machine can use any of them. Each IPv4 address is its
 * own group.
 * <p>
 * Internal: not part of the API.
 */
public final class AddressGroup {

	private static final int MACHINE_BYTES = 8;

	private AddressGroup() {
	}

	/**
	 * Returns the group of an address.
	 * @param address an IPv4 or IPv6 address
	 * @return a string that is equal for all addresses in the group
	 */
	public static String of(InetAddress address) {
		if (!(address instanceof Inet6Address)) {
			return address.getHostAddress();
		}
		String prefix = HexFormat.of().formatHex(address.getAddress(), 0, MACHINE_BYTES);
		return prefix.replaceAll("(.{4})", "$1:") + ":/" + MACHINE_BYTES * Byte.SIZE;
	}

}
