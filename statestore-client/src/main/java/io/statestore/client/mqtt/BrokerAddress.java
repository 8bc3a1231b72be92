package io.statestore.client.mqtt;

import io.statestore.protocol.InvalidOptionException;

/**
 * Host and port of a broker. Immutable.
 *
 * @param host name or address; brackets around an IPv6 address are removed
 * @param port 1 to 65535
 */
public record BrokerAddress(String host, int port) {

	/**
	 * Creates an address.
	 * @throws InvalidOptionException if the host is blank or the port is out of range
	 */
	public BrokerAddress {
		if (host.startsWith("[") && host.endsWith("]")) {
			host = host.substring(1, host.length() - 1);
		}
		if (host.isBlank()) {
			throw new InvalidOptionException("host", host, "must be the name or address of the broker");
		}
		if (port < 1 || port > 65_535) {
			throw new InvalidOptionException("port", port, "must be 1 to 65535");
		}
	}

	/**
	 * Returns host and port as in a URL.
	 * @return {@code host:port}, with brackets around an IPv6 address
	 */
	@Override
	public String toString() {
		return ((this.host.indexOf(':') >= 0) ? '[' + this.host + ']' : this.host) + ':' + this.port;
	}

}
