package io.statestore.dafka.node.internal;

import io.statestore.dafka.NodeOptions;
import org.zeromq.ZMQ;

/**
 * A socket and the size of the messages that wait in it.
 *
 * @param socket the socket
 * @param queued size of the waiting messages. The owner reports received messages to it
 */
record GuardedSocket(ZMQ.Socket socket, QueuedBytes queued) {

	/**
	 * Applies the options of a node.
	 * @param options options of the node
	 * @return the socket
	 */
	public ZMQ.Socket configure(NodeOptions options) {
		this.socket.setHWM(options.highWaterMark());
		this.socket.setLinger((int) options.linger().toMillis());
		this.socket.setReconnectIVL(100);
		this.socket.setReconnectIVLMax(2_000);
		return this.socket;
	}

}
