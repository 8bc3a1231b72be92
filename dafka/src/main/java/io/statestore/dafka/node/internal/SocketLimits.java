package io.statestore.dafka.node.internal;

/**
 * Limits of a socket and its peers.
 *
 * @param maxMessageSize maximum size of a frame in bytes
 * @param maxFrames maximum number of frames of a message
 * @param maxConnections maximum number of accepted connections
 * @param subscriptionBytes maximum memory of the subscriptions of all peers, 0 for a
 * socket to which peers do not subscribe
 * @param largeBytes maximum size of the large messages that are arriving
 * @param highWaterMark maximum number of messages that wait for each peer
 * @param socketBuffer size of the buffer of each connection in bytes, 0 for the default
 */
record SocketLimits(int maxMessageSize, int maxFrames, int maxConnections, long subscriptionBytes, long largeBytes,
		int highWaterMark, int socketBuffer) {

	/** Maximum size of a message to a publisher. Valid ones have at most 257 bytes. */
	private static final int MAX_SUBSCRIPTION = 1_024;

	/** Maximum number of frames of a message to a subscriber. */
	private static final int MAX_FRAMES = 16;

	/** Memory of a connection, in addition to the socket buffer. */
	private static final int CONNECTION_BYTES = 16 << 10;

	private static final int MIN_CONNECTIONS = 64;

	private static final int MAX_CONNECTIONS = 10_000;

	/**
	 * Returns limits for a socket that receives only subscriptions. Connections may use a
	 * quarter of the memory, and subscriptions an eighth.
	 * @param highWaterMark maximum number of messages that wait for each peer
	 * @param socketBuffer size of the buffer of each connection, in bytes
	 * @return limits in proportion to the heap
	 */
	static SocketLimits publisher(int highWaterMark, int socketBuffer) {
		return new SocketLimits(MAX_SUBSCRIPTION, 1, maxConnections(socketBuffer), maxMemory() / 8, Long.MAX_VALUE,
				highWaterMark, socketBuffer);
	}

	/**
	 * Returns limits for a socket that receives messages. Large messages that are
	 * arriving may use a quarter of the memory.
	 * @param maxMessageSize maximum size of a frame in bytes
	 * @param socketBuffer size of the buffer of each connection, in bytes
	 * @return limits in proportion to the heap
	 */
	static SocketLimits subscriber(long maxMessageSize, int socketBuffer) {
		return new SocketLimits((int) Math.min(maxMessageSize, Integer.MAX_VALUE), MAX_FRAMES, maxConnections(0), 0,
				Math.max(maxMemory() / 4, 2 * maxMessageSize), 1, socketBuffer);
	}

	/**
	 * Returns the number of bytes that wait in a connection before the rest stays in the
	 * network, unless a frame is larger. A few messages are enough.
	 */
	int readAhead() {
		return (int) Math.max(MAX_SUBSCRIPTION, Math.min(8L * this.maxMessageSize, Connection.BATCH));
	}

	/**
	 * Returns the number of connections that may use a quarter of the memory.
	 * @param socketBuffer size of the buffer of each connection, in bytes
	 * @return number of connections
	 */
	static int maxConnections(int socketBuffer) {
		long connections = maxMemory() / 4 / (socketBuffer + CONNECTION_BYTES);
		return (int) Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, connections));
	}

	/** By default, direct buffers may use as much memory as the heap. */
	private static long maxMemory() {
		return Runtime.getRuntime().maxMemory();
	}

}
