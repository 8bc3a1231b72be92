package io.statestore.dafka.node.internal;

/**
 * Limits for the peers of a socket.
 *
 * @param maxMessageSize maximum size of a frame in bytes
 * @param maxFrames maximum number of frames of a message
 * @param maxConnections maximum number of accepted connections
 * @param subscriptionBytes maximum memory of the subscriptions of all peers, 0 for a
 * socket to which peers do not subscribe
 * @param queuedBytes maximum size of the messages that wait to be received, and
 * separately of large frames that are arriving
 */
record SocketLimits(int maxMessageSize, int maxFrames, int maxConnections, long subscriptionBytes, long queuedBytes) {

	/**
	 * Maximum size of a message to a publisher. Valid subscriptions have at most 257
	 * bytes. JeroMQ needs stack in proportion to their length.
	 */
	private static final int MAX_SUBSCRIPTION = 1_024;

	/** Memory of a connection in JeroMQ, in addition to the socket buffer. */
	private static final int CONNECTION_BYTES = 16 << 10;

	private static final int MIN_CONNECTIONS = 64;

	private static final int MAX_CONNECTIONS = 10_000;

	/**
	 * Returns limits for a socket that receives only subscriptions. Connections may use a
	 * quarter of the memory, and subscriptions an eighth.
	 * @param socketBuffer size of the buffer of each connection, in bytes
	 * @return limits in proportion to the heap
	 */
	public static SocketLimits publisher(int socketBuffer) {
		return new SocketLimits(MAX_SUBSCRIPTION, 1, maxConnections(socketBuffer), maxMemory() / 8, Long.MAX_VALUE);
	}

	/**
	 * Returns limits for a socket that receives messages. Waiting messages may use a
	 * quarter of the memory.
	 * @param maxMessageSize maximum size of a frame in bytes
	 * @param maxFrames maximum number of frames of a message
	 * @return limits in proportion to the heap
	 */
	public static SocketLimits subscriber(int maxMessageSize, int maxFrames) {
		return new SocketLimits(maxMessageSize, maxFrames, maxConnections(0), 0,
				Math.max(maxMemory() / 4, 2L * maxMessageSize));
	}

	/**
	 * Returns the number of connections that may use a quarter of the memory.
	 * @param socketBuffer size of the buffer of each connection, in bytes
	 * @return number of connections
	 */
	public static int maxConnections(int socketBuffer) {
		long connections = maxMemory() / 4 / (socketBuffer + CONNECTION_BYTES);
		return (int) Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, connections));
	}

	/** By default, direct buffers may use as much memory as the heap. */
	private static long maxMemory() {
		return Runtime.getRuntime().maxMemory();
	}

}
