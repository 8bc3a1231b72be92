package io.statestore.dafka.zmtp;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;

import io.statestore.dafka.Bytes;

/** State of a connection. Used by the I/O thread, but for the final fields. */
final class Connection {

	/**
	 * Estimated memory of a subscription: a table of 256 entries, its set of peers, and
	 * the entry here.
	 */
	private static final int SUBSCRIPTION_BYTES = 1_500;

	/** Estimated memory of each byte of a subscription, a node of JeroMQ's trie. */
	private static final int SUBSCRIPTION_BYTE_BYTES = 64;

	final SocketChannel channel;

	final String address;

	/** Whether the peer made the connection. */
	final boolean accepted;

	final long openedAt;

	/** Whether a message or a heartbeat has arrived. */
	boolean proven;

	volatile boolean closing;

	/** Frames of the current message so far. */
	int frames;

	/** Whether the current message is being dropped. */
	boolean dropping;

	/** Estimated memory of the subscriptions. */
	long subscriptionBytes;

	private final Set<Bytes> subscriptions = new HashSet<>();

	Connection(SocketChannel channel, String address, boolean accepted, long openedAt) {
		this.channel = channel;
		this.address = address;
		this.accepted = accepted;
		this.openedAt = openedAt;
	}

	static long cost(Bytes prefix) {
		return SUBSCRIPTION_BYTES + (long) prefix.size() * SUBSCRIPTION_BYTE_BYTES;
	}

	/** Returns whether this is a new subscription. */
	boolean subscribe(Bytes prefix) {
		boolean added = this.subscriptions.add(prefix);
		this.subscriptionBytes += added ? cost(prefix) : 0;
		return added;
	}

	/** Returns whether there was such a subscription. */
	boolean unsubscribe(Bytes prefix) {
		boolean removed = this.subscriptions.remove(prefix);
		this.subscriptionBytes -= removed ? cost(prefix) : 0;
		return removed;
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
			// It is closed already.
		}
	}

}
