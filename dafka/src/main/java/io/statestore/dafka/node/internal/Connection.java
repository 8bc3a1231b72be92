package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/** State of a connection. Used by the I/O thread, except for the final fields. */
final class Connection {

	/**
	 * Estimated memory of a subscription: a table of 256 entries, a set of peers, and an
	 * entry of this class.
	 */
	private static final int SUBSCRIPTION_BYTES = 1_500;

	/** Estimated memory of each byte of a subscription: a node of JeroMQ's trie. */
	private static final int SUBSCRIPTION_BYTE_BYTES = 64;

	final SocketChannel channel;

	final String address;

	/** Endpoint to which this side connected, or on which it listens. */
	final String endpoint;

	/** Whether the peer opened the connection. */
	final boolean accepted;

	/** Time in nanoseconds. */
	final long openedAt;

	/** Whether a message or a heartbeat has arrived. */
	boolean proven;

	volatile boolean closing;

	/** Number of frames of the current message so far. */
	int frames;

	/** Whether the current message is being dropped. */
	boolean dropping;

	/** Estimated memory of the subscriptions. */
	long subscriptionBytes;

	private final Set<Bytes> subscriptions = new HashSet<>();

	/** Whether the CURVE handshake has begun. */
	boolean greeted;

	/** Public key of the peer, {@code null} before the CURVE handshake has ended. */
	volatile @Nullable Bytes peer;

	Connection(SocketChannel channel, String address, String endpoint, boolean accepted, long openedAt) {
		this.channel = channel;
		this.address = address;
		this.endpoint = endpoint;
		this.accepted = accepted;
		this.openedAt = openedAt;
	}

	/** Adds or removes a subscription, and returns whether this changes anything. */
	boolean subscribe(Bytes prefix, boolean add) {
		boolean changed = add ? this.subscriptions.add(prefix) : this.subscriptions.remove(prefix);
		if (changed) {
			long cost = SUBSCRIPTION_BYTES + (long) prefix.size() * SUBSCRIPTION_BYTE_BYTES;
			this.subscriptionBytes += add ? cost : -cost;
		}
		return changed;
	}

	/**
	 * Ends the connection: JeroMQ closes it when it reads the end of the stream. Closing
	 * the channel instead would leave JeroMQ's state of the connection behind.
	 */
	void close() {
		this.closing = true;
		try {
			this.channel.shutdownInput();
		}
		catch (IOException ex) {
			// The channel is already closed.
		}
	}

}
