package io.statestore.client.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/** Parser of the option {@code hosts}. */
final class HostList {

	private static final String OPTION = "hosts";

	private static final String FORM = "must be a list of host or host:port";

	/** A name, an IPv4 address, or an IPv6 address in brackets, and an optional port. */
	private static final Pattern ENTRY = Pattern
		.compile("(?:\\[(?<ipv6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%[\\w.-]+)?)]|(?<name>[^\\s\\p{Cntrl}:/@,;?#\\[\\]]+))"
				+ "(?::(?<port>\\d+))?");

	private final List<String> entries;

	private final int defaultPort;

	/**
	 * @param entries the hosts, each as {@code host} or {@code host:port}
	 * @param defaultPort port of entries without one
	 */
	HostList(List<String> entries, int defaultPort) {
		this.entries = entries;
		this.defaultPort = defaultPort;
	}

	/**
	 * Returns the addresses in the order of the entries.
	 * @throws InvalidOptionException if there are none, or if an entry is invalid or
	 * repeated
	 */
	List<BrokerAddress> parse() {
		List<BrokerAddress> addresses = new ArrayList<>();
		for (String entry : this.entries) {
			addresses.add(parse(entry.strip()));
		}
		return unique(addresses);
	}

	/**
	 * Returns a copy of addresses.
	 * @throws InvalidOptionException if there are none, or if one is repeated
	 */
	static List<BrokerAddress> unique(List<BrokerAddress> addresses) {
		if (addresses.isEmpty()) {
			throw new InvalidOptionException(OPTION, null, "must name at least one host");
		}
		for (int i = 1; i < addresses.size(); i++) {
			String name = addresses.get(i).toString();
			if (addresses.subList(0, i).stream().anyMatch((earlier) -> earlier.toString().equalsIgnoreCase(name))) {
				throw new InvalidOptionException(OPTION, text(addresses), "must not contain a host twice",
						"Remove one '" + name + '\'');
			}
		}
		return List.copyOf(addresses);
	}

	private BrokerAddress parse(String entry) {
		if (entry.isEmpty()) {
			throw new InvalidOptionException(OPTION, text(this.entries), "must not contain blank entries");
		}
		Matcher matcher = ENTRY.matcher(entry);
		if (!matcher.matches()) {
			throw invalid(entry);
		}
		String name = matcher.group("name");
		return new BrokerAddress((name != null) ? name : matcher.group("ipv6"), port(entry, matcher.group("port")));
	}

	private int port(String entry, @Nullable String digits) {
		if (digits == null) {
			return this.defaultPort;
		}
		int port = (digits.length() <= 5) ? Integer.parseInt(digits) : 0;
		if (port < 1 || port > 65_535) {
			throw new InvalidOptionException(OPTION, text(this.entries), FORM,
					"The port of '" + entry + "' must be 1 to 65535");
		}
		return port;
	}

	private InvalidOptionException invalid(String entry) {
		if (entry.indexOf('@') >= 0) {
			// The text before it may be a password.
			return new InvalidOptionException(OPTION, "***", FORM, "Set user name and password with their own options");
		}
		String advice = entry.contains("://") ? "Remove the scheme of '" + entry + "'; TLS is a separate option"
				: (entry.indexOf(':') != entry.lastIndexOf(':') && entry.indexOf('[') < 0)
						? "Write the IPv6 address '" + entry + "' in brackets, such as [::1]:1883"
						: "Correct '" + entry + "', such as broker-1:1883";
		return new InvalidOptionException(OPTION, text(this.entries), FORM, advice);
	}

	private static String text(List<?> entries) {
		return String.join(",", entries.stream().map(String::valueOf).toList());
	}

}
