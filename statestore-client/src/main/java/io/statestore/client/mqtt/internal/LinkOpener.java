package io.statestore.client.mqtt.internal;

import io.statestore.client.mqtt.Transport;

/** Opens the links of a connection. Tests replace the network with it. */
@FunctionalInterface
interface LinkOpener {

	/**
	 * Starts to connect.
	 * @param receiver receives every message
	 * @return a link, to wait for with {@link Link#accepted()} and to
	 * {@linkplain Link#close() close}
	 */
	Link open(Link.Attempt attempt, Link.Receiver receiver);

	/**
	 * Returns the opener for a transport. No other class refers to both kinds of links.
	 */
	static LinkOpener of(Transport transport) {
		return switch (transport) {
			case PAHO -> PahoLink::open;
			case NETTY -> NettyLink::new;
		};
	}

}
