package io.statestore.broker.mqtt;

import java.util.AbstractList;
import java.util.List;

import io.netty.util.concurrent.EventExecutor;

/**
 * The filters of an UNSUBSCRIBE, which stop deliveries before Artemis uses them. Artemis
 * 2.43 locks a consumer and then waits up to 30 seconds until its present delivery ends.
 * The delivery of a message of QoS 0 needs the same lock, so that both threads would
 * wait.
 */
final class StoppingFilters extends AbstractList<String> {

	private final List<String> filters;

	private final EventExecutor eventLoop;

	private final Runnable stopDelivery;

	private boolean stopped;

	/**
	 * Creates a list.
	 * @param filters filters as Artemis gets them
	 * @param eventLoop of the connection
	 * @param stopDelivery stops the consumers of the filters, and waits for deliveries
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

	/** Artemis calls this on its own thread, before it locks anything. */
	@Override
	public int size() {
		if (!this.stopped && !this.eventLoop.inEventLoop()) {
			this.stopped = true;
			this.stopDelivery.run();
		}
		return this.filters.size();
	}

}
