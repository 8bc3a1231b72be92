package io.statestore.dafka.node.internal;

/**
 * Limits for a socket and its peers.
 *
 * @param maxMessageSize maximum size of a frame in bytes
 * @param maxFrames maximum number of frames per message
 * @param maxConnections maximum number of accepted connections
 * @param subscriptionBytes maximum memory for all peers' subscriptions, in bytes; 0 for a
 * socket that peers do not subscribe to
 * @param largeBytes maximum total size of large messages in the process of arriving, in
 * bytes
 * @param highWaterMark maximum number of messages waiting for each peer
 * @param socketBuffer buffer size of each connection in bytes, 0 for the default
 */
record SocketLimits(int maxMessageSize, int maxFrames, int maxConnections, long subscriptionBytes, long largeBytes,
		int highWaterMark, int socketBuffer) {

	/**
	 * Maximum size of a message to a publisher, in bytes. Valid messages have at most
	 * 257.
	 */
	private static final int MAX_SUBSCRIPTION = 1_024;

	/** Maximum number of frames in a message to a subscriber. */
	private static final int MAX_FRAMES = 16;

	/** Memory used by a connection, in bytes, not including its socket buffer. */
	private static final int CONNECTION_BYTES = 16 << 10;

	private static final int MIN_CONNECTIONS = 64;

	private static final int MAX_CONNECTIONS = 10_000;

	/**
	 * Returns limits for a socket that receives only subscriptions. Connections may use a
	 * quarter of the memory and subscriptions an eighth.
	 * @param highWaterMark maximum number of messages waiting for each peer
	 * @param socketBuffer buffer size of each connection in bytes, 0 for the default
	 * @return limits proportional to the available memory
	 */
	static SocketLimits publisher(int highWaterMark, int socketBuffer) {
		return new SocketLimits(MAX_SUBSCRIPTION, 1, maxConnections(socketBuffer), maxMemory() / 8, Long.MAX_VALUE,
				highWaterMark, socketBuffer);
	}

	/**
	 * Returns limits for a socket that receives messages. Large messages in the process
	 * of arriving may use a quarter of the memory.
	 * @param maxMessageSize maximum size of a frame in bytes
	 * @param socketBuffer buffer size of each connection in bytes, 0 for the default
	 * @return limits proportional to the available memory
	 */
	static SocketLimits subscriber(long maxMessageSize, int socketBuffer) {
		return new SocketLimits((int) Math.min(maxMessageSize, Integer.MAX_VALUE), MAX_FRAMES, maxConnections(0), 0,
				Math.max(maxMemory() / 4, 2 * maxMessageSize), 1, socketBuffer);
	}

	/**
	 * Returns the number of received bytes that a connection may buffer before it stops
	 * reading; a single larger frame may exceed this number. A few messages are enough.
	 */
	int readAhead() {
		return (int) Math.max(MAX_SUBSCRIPTION, Math.min(8L * this.maxMessageSize, Connection.BATCH));
	}

	/**
	 * Returns the number of connections that may use a quarter of the memory.
	 * @param socketBuffer buffer size of each connection, in bytes
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
