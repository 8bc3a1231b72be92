package io.statestore.broker.artemis.session;

import java.util.AbstractList;
import java.util.List;

import io.netty.util.concurrent.EventExecutor;

/**
 * Filters of an UNSUBSCRIBE, as a list <strong>with a side effect</strong>: the first
 * call of {@link #size()} on a thread of Artemis stops deliveries to the subscriptions.
 * <p>
 * The list avoids a deadlock of Artemis 2.43. To end a subscription, Artemis locks its
 * consumer and waits up to 30 seconds until the delivery in progress ends. Delivering a
 * QoS 0 message needs the same lock, so that both threads wait. Deliveries must therefore
 * stop before Artemis takes the lock, on the thread that executes the packet. Stopping
 * them earlier, on the event loop, would block the event loop.
 * <p>
 * Artemis has no hook at that point: interceptors and plugins are called on the event
 * loop, or after the lock is taken. The only code of ours that it calls there is the list
 * of filters.
 */
final class StoppingFilters extends AbstractList<String> {

	private final List<String> filters;

	private final EventExecutor eventLoop;

	private final Runnable stopDelivery;

	/** Whether deliveries were stopped. Used by one thread of Artemis. */
	private boolean stopped;

	/**
	 * Creates a list.
	 * @param filters filters that Artemis receives
	 * @param eventLoop event loop of the connection
	 * @param stopDelivery stops the consumers of the filters, and waits for deliveries in
	 * progress
	 */
	StoppingFilters(List<String> filters, EventExecutor eventLoop, Runnable stopDelivery) {
		this.filters = filters;
		this.eventLoop = eventLoop;
		this.stopDelivery = stopDelivery;
	}

	@Override
	public String get(int index) {
		return this.filters.get(index);
	}

	/**
	 * Returns the number of filters. The first call outside the event loop, with which
	 * Artemis begins to execute the packet, stops deliveries.
	 */
	@Override
	public int size() {
		if (!this.stopped && !this.eventLoop.inEventLoop()) {
			this.stopped = true;
			this.stopDelivery.run();
		}
		return this.filters.size();
	}

}
