package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntConsumer;

/**
 * The requests of one connection that are not acknowledged yet. MQTT wants the
 * acknowledgements in the order of the requests (section 4.6), whichever order they are
 * done in. Used on the event loop only.
 */
final class IncomingAcks {

	private final Deque<Pending> pending = new ArrayDeque<>();

	private final IntConsumer send;

	/**
	 * @param send sends the acknowledgement of a packet id
	 */
	IncomingAcks(IntConsumer send) {
		this.send = send;
	}

	/** A request has come; run the result when it is done. */
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
