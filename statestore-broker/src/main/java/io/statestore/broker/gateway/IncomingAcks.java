package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntConsumer;

/**
 * Unacknowledged requests of one connection. MQTT requires acknowledgments in the order
 * of the requests (MQTT 5 section 4.6), even if the requests complete in another order.
 * Used on the event loop only.
 */
final class IncomingAcks {

	private final Deque<Pending> pending = new ArrayDeque<>();

	private final IntConsumer send;

	/**
	 * Creates an empty queue.
	 * @param send sends the acknowledgment of a packet id
	 */
	IncomingAcks(IntConsumer send) {
		this.send = send;
	}

	/** Adds a request. Run the returned task when the request has completed. */
	Runnable received(int packetId) {
		Pending request = new Pending(packetId);
		this.pending.add(request);
		return () -> {
			request.done = true;
			while (!this.pending.isEmpty() && this.pending.element().done) {
				this.send.accept(this.pending.remove().packetId);
			}
		};
	}

	private static final class Pending {

		private final int packetId;

		private boolean done;

		private Pending(int packetId) {
			this.packetId = packetId;
		}

	}

}
