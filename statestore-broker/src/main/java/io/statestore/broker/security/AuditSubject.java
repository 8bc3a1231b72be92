package io.statestore.broker.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Subject of a line of the {@link AuditLog}.
 *
 * @param field name of the field, empty for none
 * @param name the name, empty for an anonymous client
 * @param maxLines maximum number of lines in an interval
 */
record AuditSubject(String field, String name, int maxLines) {

	private static final String ADDRESS = "address";

	private static final int PREFIX_BYTES = 8;

	static AuditSubject of(String field, String name) {
		String cut = name.substring(0, Math.min(name.length(), AuditLine.MAX_LENGTH));
		return new AuditSubject(field, cut, AuditLog.MAX_LINES_OF_PRINCIPAL);
	}

	/** A machine can use all IPv6 addresses that begin with the same 64 bits. */
	static AuditSubject of(InetAddress address) {
		return new AuditSubject(ADDRESS, (address instanceof Inet6Address) ? prefix(address) : address.getHostAddress(),
				AuditLog.MAX_LINES_OF_ADDRESS);
	}

	private static String prefix(InetAddress address) {
		String hex = HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), PREFIX_BYTES));
		return hex.replaceAll("(.{4})", "$1:") + ":/64";
	}

	/** Adds this subject to a line. */
	AuditLine addTo(AuditLine line) {
		if (this.field.isEmpty()) {
			return line;
		}
		boolean text = !this.field.equals(ADDRESS) && !this.name.isEmpty();
		return text ? line.text(this.field, this.name)
				: line.word(this.field, this.name.isEmpty() ? ClientPrincipal.ANONYMOUS : this.name);
	}

}
