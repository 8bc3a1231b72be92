package io.statestore.dafka.node.internal;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.reading.internal.Subscriptions;
import io.statestore.dafka.reading.internal.Machine;
import org.zeromq.ZMQ;
import zmq.Msg;
import zmq.SocketBase;

/**
 * Receiver of a node: passes subscriptions of peers, and messages from peers, to its
 * {@link Machine}. Used by the thread of the node; any thread may read the counters.
 */
final class Inbox {

	private static final int MESSAGES_PER_TURN = 8_192;

	/** Subscriptions and other messages to the publisher that are read in a turn. */
	private static final int SUBSCRIPTIONS_PER_TURN = 1_024;

	private final ZMQ.Socket publisher;

	private final ZMQ.Socket subscriber;

	private final QueuedBytes queued;

	private final Peers peers;

	private final Machine machine;

	private final LongAdder received = new LongAdder();

	private final LongAdder malformed = new LongAdder();

	/**
	 * Creates a receiver.
	 * @param publisher receives subscriptions
	 * @param subscriber receives messages
	 */
	Inbox(ZMQ.Socket publisher, GuardedSocket subscriber, Peers peers, Machine machine) {
		this.publisher = publisher;
		this.subscriber = subscriber.socket();
		this.queued = subscriber.queued();
		this.peers = peers;
		this.machine = machine;
	}

	/** Returns the number of received messages. */
	long received() {
		return this.received.sum();
	}

	/** Returns the number of messages that the machine refused as malformed. */
	long malformed() {
		return this.malformed.sum();
	}

	/**
	 * Receives what has arrived, up to a limit.
	 * @return whether there may be more
	 */
	boolean receive(long now) {
		int subscriptions = receiveSubscriptions(now);
		int messages = receiveMessages(now);
		return messages == MESSAGES_PER_TURN || subscriptions == SUBSCRIPTIONS_PER_TURN;
	}

	private int receiveSubscriptions(long now) {
		for (int count = 0; count < SUBSCRIPTIONS_PER_TURN; count++) {
			byte[] prefix = this.publisher.recv(ZMQ.DONTWAIT);
			if (prefix == null) {
				return count;
			}
			if (prefix.length > 1 && prefix[0] == 1) {
				this.machine.subscribed(Arrays.copyOfRange(prefix, 1, prefix.length), now);
			}
			else if (prefix.length > 1 && prefix[0] == 0) {
				this.machine.unsubscribed(Arrays.copyOfRange(prefix, 1, prefix.length));
			}
		}
		return SUBSCRIPTIONS_PER_TURN;
	}

	private int receiveMessages(long now) {
		// Receives on the level below ZMQ.Socket, where each frame knows whether more
		// follow. ZMQ.Socket asks the socket for each frame.
		SocketBase incoming = this.subscriber.base();
		long arrived = this.queued.arrived();
		long bytes = 0;
		int messages = 0;
		boolean empty = false;
		while (messages < MESSAGES_PER_TURN && !this.machine.isFull()) {
			Msg frame = incoming.recv(ZMQ.DONTWAIT);
			if (frame == null) {
				this.queued.empty(arrived);
				empty = true;
				break;
			}
			messages++;
			byte[] header = frame.data();
			byte[] content = null;
			boolean valid = true;
			bytes += header.length;
			for (int rest = 0; frame.hasMore(); rest++) {
				frame = incoming.recv(0);
				content = frame.data();
				bytes += content.length;
				valid = rest == 0;
			}
			if (!valid || !this.machine.received(header, content, now)) {
				this.malformed.increment();
			}
		}
		if (messages > 0 || empty) {
			this.peers.received(messages, empty);
		}
		this.queued.received(bytes);
		this.received.add(messages);
		return messages;
	}

}
