package io.statestore.broker.cluster;

/**
 * The host and port on which a node listens for other nodes.
 *
 * @param host host name or IP address, without brackets
 * @param port TCP port, 1 to 65,535
 */
public record NodeAddress(String host, int port) {

	/**
	 * Creates an address.
	 * @throws IllegalArgumentException if the host is blank or the port is out of range
	 */
	public NodeAddress {
		if (host.isBlank() || port < 1 || port > 65_535) {
			throw new IllegalArgumentException("'" + host + ':' + port
					+ "' is not the address of a node; use a host and a port, such as a.local:1885");
		}
	}

	/**
	 * Parses an address.
	 * @param text host and port, such as {@code a.local:1885} or {@code [::1]:1885}
	 * @return the address
	 * @throws IllegalArgumentException if the text is not an address
	 */
	public static NodeAddress parse(String text) {
		int colon = text.lastIndexOf(':');
		String host = text.substring(0, Math.max(colon, 0)).strip();
		boolean brackets = host.startsWith("[") && host.endsWith("]");
		if (brackets || host.indexOf(':') < 0) {
			try {
				return new NodeAddress(brackets ? host.substring(1, host.length() - 1) : host,
						Integer.parseInt(text.substring(colon + 1).strip()));
			}
			catch (NumberFormatException ex) {
				// Reported below.
			}
		}
		throw new IllegalArgumentException(
				"'" + text + "' is not the address of a node; use a host and a port, such as a.local:1885");
	}

	@Override
	public String toString() {
		return ((this.host.indexOf(':') >= 0) ? '[' + this.host + ']' : this.host) + ':' + this.port;
	}

}
