package io.statestore.dafka.node.internal;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** Socket that sends each message to the peers that subscribe to a prefix of it. */
final class Publisher extends ZmtpSocket {

	/** Estimated memory used by a subscription, in bytes, not including its content. */
	private static final int SUBSCRIPTION_BYTES = 500;

	/** A connection may use the subscription memory divided by this number. */
	private static final int SHARES = 4;

	/** Peers by the prefix that they subscribe to. */
	private final NavigableMap<byte[], Set<Connection>> subscriptions = new TreeMap<>(Arrays::compareUnsigned);

	/** Subscriptions that ended because their last peer disconnected. */
	private final Deque<byte[]> ended = new ArrayDeque<>();

	/**
	 * Header of the latest message; {@code null} if the subscriptions have changed since.
	 */
	private byte @Nullable [] header;

	/** Peers that subscribe to a prefix of {@code header}. */
	private final Set<Connection> receivers = new LinkedHashSet<>();

	/** Length of the longest subscription so far. */
	private int longest;

	/** Estimated memory used by all subscriptions, in bytes. */
	private long bytes;

	/** Whether messages to peers without room are dropped instead of refused. */
	boolean dropping = true;

	/** Whether the latest message was refused for lack of room. */
	boolean full;

	Publisher(Transport transport, SocketLimits limits) {
		super(transport, "XPUB", limits);
	}

	/**
	 * Sends a message.
	 * @param frames frames of the message
	 * @return whether the message was sent; if not, a peer had no room, and no peer
	 * receives it
	 */
	boolean send(byte[]... frames) {
		if (!hasReceiversOf(frames[0])) {
			this.receivers.clear();
			match(frames[0]);
		}
		this.header = frames[0];
		this.full = !this.dropping && !this.receivers.stream().allMatch(Connection::hasRoom);
		if (!this.full) {
			for (Connection receiver : this.receivers) {
				if (receiver.hasRoom()) {
					receiver.send(frames);
				}
			}
		}
		return !this.full;
	}

	/**
	 * Returns whether a message certainly has the same receivers as the latest message. A
	 * partition's headers differ only in the sequence number at the end, and
	 * subscriptions are shorter.
	 */
	private boolean hasReceiversOf(byte[] header) {
		int common = (this.header != null) ? Arrays.mismatch(header, this.header) : 0;
		return this.header != null && (common < 0 || common >= this.longest);
	}

	/** Finds the peers that subscribe to a prefix of a message, longest prefix first. */
	private void match(byte[] header) {
		Map.Entry<byte[], Set<Connection>> next = this.subscriptions.floorEntry(header);
		while (next != null) {
			byte[] prefix = next.getKey();
			int common = Arrays.mismatch(prefix, header);
			if (common < 0 || common == prefix.length) {
				this.receivers.addAll(next.getValue());
				next = this.subscriptions.lowerEntry(prefix);
			}
			else {
				next = this.subscriptions.floorEntry(Arrays.copyOf(header, common));
			}
		}
	}

	/** Wakes the node, so that a refused sender tries again. */
	@Override
	void written() {
		if (this.full) {
			this.transport.wake();
		}
	}

	/**
	 * Receives a new subscription, or the end of a subscription that no other peer has.
	 * @return a single frame: 1 for a new or 0 for an ended subscription, then the prefix
	 */
	@Override
	byte @Nullable [][] receive() {
		byte[] ended = this.ended.poll();
		if (ended != null) {
			return new byte[][] { ended };
		}
		byte[][] message = super.receive();
		while (message != null && (!source().isOpen() || !changes(message[0], source()))) {
			message = super.receive();
		}
		return message;
	}

	private boolean changes(byte[] message, Connection source) {
		byte type = (message.length > 0) ? message[0] : -1;
		if (type != 0 && type != 1) {
			source.refuse(Refusal.NO_SUBSCRIPTION, "");
			return false;
		}
		byte[] prefix = Arrays.copyOfRange(message, 1, message.length);
		if (type == 0) {
			Set<Connection> peers = this.subscriptions.getOrDefault(prefix, Set.of());
			return peers.contains(source) && remove(prefix, peers, source);
		}
		if (!this.subscriptions.computeIfAbsent(prefix, (key) -> new LinkedHashSet<>(2)).add(source)) {
			return false;
		}
		source.subscriptions.add(prefix);
		this.longest = Math.max(this.longest, prefix.length);
		count(source, SUBSCRIPTION_BYTES + prefix.length);
		if (this.bytes > this.limits.subscriptionBytes()
				|| source.subscriptionBytes > this.limits.subscriptionBytes() / SHARES) {
			source.refuse(Refusal.TOO_MANY_SUBSCRIPTIONS, "");
		}
		return true;
	}

	/** Removes a peer's subscription. Returns whether no other peer has it. */
	private boolean remove(byte[] prefix, Set<Connection> peers, Connection peer) {
		peers.remove(peer);
		peer.subscriptions.remove(prefix);
		count(peer, -SUBSCRIPTION_BYTES - prefix.length);
		return peers.isEmpty() && this.subscriptions.remove(prefix) != null;
	}

	private void count(Connection peer, int bytes) {
		this.header = null;
		peer.subscriptionBytes += bytes;
		this.bytes += bytes;
	}

	@Override
	void closed(Connection connection) {
		super.closed(connection);
		for (byte[] prefix : List.copyOf(connection.subscriptions)) {
			if (remove(prefix, this.subscriptions.getOrDefault(prefix, Set.of()), connection)) {
				this.ended.add(CurveHandshake.concat(new byte[1], prefix));
			}
		}
		this.transport.wake();
	}

}
