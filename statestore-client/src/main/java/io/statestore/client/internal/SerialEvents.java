package io.statestore.client.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs events one at a time, in submission order. Events run on the submitting threads: a
 * thread that submits an event may also run events submitted by other threads. Events are
 * never nested: an event submitted by another event runs after it. Events must be short
 * and must not block.
 */
public final class SerialEvents {

	private static final Logger logger = LoggerFactory.getLogger(SerialEvents.class);

	private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger count = new AtomicInteger();

	private final Object subject;

	private final Consumer<Throwable> onFailure;

	/**
	 * Creates an empty event queue.
	 * @param subject what the events belong to, named in the log
	 * @param onFailure called after an event has thrown, for example because the process
	 * ran out of memory or threads. Must complete the futures that the event would have
	 * completed
	 */
	public SerialEvents(Object subject, Consumer<Throwable> onFailure) {
		this.subject = subject;
		this.onFailure = onFailure;
	}

	/**
	 * Runs an event after all earlier events. It may still be waiting, or running on
	 * another thread, when this method returns.
	 * @param event short, and must not block
	 */
	public void submit(Runnable event) {
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
				logger.error("Failed to process an event of {}", this.subject, ex);
			}
			catch (Throwable again) {
				// Nothing else can be done for this event. The next event still runs.
			}
		}
	}

}
