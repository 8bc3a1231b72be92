package io.statestore.client.mqtt.internal;

import java.util.function.Consumer;

import io.statestore.client.mqtt.Transport;
import io.statestore.client.mqtt.internal.Link.LinkMessage;

/** Opens the links of a connection. Tests replace the network with it. */
@FunctionalInterface
interface LinkOpener {

	/**
	 * Starts to connect.
	 * @param sink receives every message on a network thread, in the order of arrival.
	 * Must hand it over without blocking. Exceptions are logged
	 * @return a link, to wait for with {@link Link#accepted()} and to
	 * {@linkplain Link#close() close}
	 */
	Link open(Link.Attempt attempt, Consumer<LinkMessage> sink);

	/** Returns what opens links of a transport. No other class refers to both kinds. */
	static LinkOpener of(Transport transport) {
		return switch (transport) {
			case PAHO -> PahoLink::open;
			case NETTY -> NettyLink::new;
		};
	}

}
