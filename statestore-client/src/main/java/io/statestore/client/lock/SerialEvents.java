package io.statestore.client.lock;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs events one at a time in the order they came, each on a thread that brings one, and
 * never one within another. Events are short and never block.
 */
final class SerialEvents {

	private static final Logger logger = LoggerFactory.getLogger(SerialEvents.class);

	private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger count = new AtomicInteger();

	private final Consumer<Throwable> onFailure;

	/**
	 * Creates a queue of events.
	 * @param onFailure called instead of the rest of an event that failed, for example
	 * for lack of memory or threads, so that no caller waits for its result
	 */
	SerialEvents(Consumer<Throwable> onFailure) {
		this.onFailure = onFailure;
	}

	void submit(Runnable event) {
		this.events.add(event);
		if (this.count.getAndIncrement() > 0) {
			return;
		}
		do {
			run(this.events.remove());
		}
		while (this.count.decrementAndGet() > 0);
	}

	private void run(Runnable event) {
		try {
			event.run();
		}
		catch (Throwable ex) {
			try {
				this.onFailure.accept(ex);
				logger.error("A lock could not process an event", ex);
			}
			catch (Throwable again) {
				// Not even that; the next event shall have its turn all the same.
			}
		}
	}

}
