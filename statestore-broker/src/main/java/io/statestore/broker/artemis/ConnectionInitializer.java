package io.statestore.broker.artemis;

import io.netty.channel.ChannelPipeline;
import io.statestore.broker.memory.ClientShare;

/**
 * Callback that completes the pipeline of a new connection.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface ConnectionInitializer {

	/**
	 * Adds handlers to a pipeline. Called on the event loop of the connection, before the
	 * first packet is decoded.
	 * @param pipeline the pipeline, which contains the MQTT codec
	 * @param next name of the handler before which handlers of decoded packets are added
	 * @param memory the share of the client
	 * @return receives the state of the backlog of the connection
	 */
	BacklogListener initialize(ChannelPipeline pipeline, String next, ClientShare memory);

}
