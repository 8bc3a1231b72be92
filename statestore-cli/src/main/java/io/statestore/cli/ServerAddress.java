package io.statestore.cli;

import java.net.URI;
import java.net.URISyntaxException;

import org.jspecify.annotations.Nullable;

/**
 * Address of a broker.
 *
 * @param host name or address
 * @param port the port, {@code null} for the default one
 * @param tls whether to use TLS, {@code null} if the address does not specify it
 */
record ServerAddress(String host, @Nullable Integer port, @Nullable Boolean tls) {

	/**
	 * Parses {@code mqtt://host:port} or {@code mqtts://host:port}. The port can be
	 * missing.
	 * @param source option or variable with the address, for the message
	 * @param url the address
	 * @throws CliException if it has another form
	 */
	static ServerAddress parse(String source, String url) {
		try {
			URI uri = new URI(url);
			boolean tls = "mqtts".equalsIgnoreCase(uri.getScheme());
			if (uri.getHost() != null && uri.getUserInfo() == null && (tls || "mqtt".equalsIgnoreCase(uri.getScheme()))
					&& uri.getRawPath().length() <= 1 && uri.getQuery() == null && uri.getFragment() == null) {
				return new ServerAddress(uri.getHost(), (uri.getPort() >= 0) ? uri.getPort() : null, tls);
			}
		}
		catch (URISyntaxException ex) {
			// The same message
		}
		throw CliException.usage("The value of " + source
				+ " is not the address of a broker; use mqtt://host:port or mqtts://host:port. "
				+ "Set a user name with --user");
	}

	/** Returns this address with another port, unless it is {@code null}. */
	ServerAddress withPort(@Nullable Integer port) {
		return (port != null) ? new ServerAddress(this.host, port, this.tls) : this;
	}

}
