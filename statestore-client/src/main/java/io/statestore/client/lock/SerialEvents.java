package io.statestore.client.lock;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

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

	private static void run(Runnable event) {
		try {
			event.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A lock could not process an event", ex);
		}
	}

}
