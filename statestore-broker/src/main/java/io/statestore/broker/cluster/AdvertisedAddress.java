package io.statestore.broker.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.protocol.InvalidOptionException;

/**
 * The host and port at which clients can connect to a node. The host and port may differ
 * from the address on which the node listens.
 *
 * @param host host name or IP address, without brackets
 * @param port TCP port, 0 for the port on which the node listens for clients
 */
public record AdvertisedAddress(String host, int port) {

	private static final Pattern FORM = Pattern
		.compile("(?:\\[(?<ipv6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)]|(?<name>[^\\s\\p{Cntrl}:/@,;?#\\[\\]]{1,255}))"
				+ "(?::(?<port>\\d{1,5}))?");

	private static final int MAX_PORT = 65_535;

	/**
	 * Parses an address.
	 * @param text host, or host and port, such as {@code a.local:1883} or {@code [::1]}
	 * @return the address
	 * @throws InvalidOptionException if the text is not an address
	 */
	public static AdvertisedAddress parse(String text) {
		Matcher matcher = FORM.matcher(text.strip());
		int port = (matcher.matches() && matcher.group("port") != null) ? Integer.parseInt(matcher.group("port")) : -1;
		if (!matcher.matches() || port == 0 || port > MAX_PORT) {
			throw new InvalidOptionException("advertise", text,
					"must be the host, or host:port, that clients use for this node, such as a.local:1883 or [::1]:1883");
		}
		String name = matcher.group("name");
		return new AdvertisedAddress((name != null) ? name : matcher.group("ipv6"), Math.max(port, 0));
	}

	/**
	 * Returns the address as a Server Reference (MQTT 5 section 4.11).
	 * @param defaultPort the port on which the node listens for clients
	 * @return {@code host:port}, with brackets around an IPv6 address
	 */
	public String reference(int defaultPort) {
		return ((this.host.indexOf(':') >= 0) ? '[' + this.host + ']' : this.host) + ':'
				+ ((this.port > 0) ? this.port : defaultPort);
	}

}
