package io.statestore.client.mqtt.link;

/**
 * Opens the links of a connection. Test libraries replace the network with it.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface LinkOpener {

	/**
	 * Starts to connect.
	 * @param options address of the broker and options of the connection
	 * @param resources threads and clock
	 * @param sink receives every message
	 * @return a link, to wait for with {@link Link#accepted()} and to
	 * {@linkplain Link#close() close}
	 */
	Link open(LinkOptions options, LinkResources resources, MessageSink sink);

}
