package io.statestore.dafka.node.internal;

import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;

import org.jspecify.annotations.Nullable;

/** Finds the address by which other machines reach this one. */
final class OwnAddress {

	private OwnAddress() {
	}

	/**
	 * Returns the first IPv4 address that is neither a loopback nor a link-local address,
	 * {@code null} if there is none.
	 */
	static @Nullable String find() {
		try {
			return NetworkInterface.networkInterfaces()
				.filter(OwnAddress::isUp)
				.flatMap(NetworkInterface::inetAddresses)
				.filter((address) -> address instanceof Inet4Address && !address.isLoopbackAddress()
						&& !address.isLinkLocalAddress())
				.map((address) -> address.getHostAddress())
				.findFirst()
				.orElse(null);
		}
		catch (SocketException ex) {
			return null;
		}
	}

	private static boolean isUp(NetworkInterface network) {
		try {
			return network.isUp() && !network.isLoopback();
		}
		catch (SocketException ex) {
			return false;
		}
	}

}
