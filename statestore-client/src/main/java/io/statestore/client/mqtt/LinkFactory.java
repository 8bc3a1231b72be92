package io.statestore.client.mqtt;

import io.statestore.client.mqtt.netty.NettyLink;
import io.statestore.client.mqtt.link.Link;
import io.statestore.client.mqtt.link.LinkOptions;
import io.statestore.client.mqtt.link.LinkResources;
import io.statestore.client.mqtt.link.MessageSink;
import io.statestore.client.mqtt.paho.PahoLink;

/** Opens links of any transport. No other class refers to both implementations. */
final class LinkFactory {

	private LinkFactory() {
	}

	/**
	 * Starts to connect.
	 * @param transport the MQTT library
	 * @param sink receives every message
	 */
	static Link open(Transport transport, LinkOptions options, LinkResources resources, MessageSink sink) {
		return switch (transport) {
			case PAHO -> PahoLink.open(options, resources, sink);
			case NETTY -> NettyLink.open(options, resources, sink);
		};
	}

}
