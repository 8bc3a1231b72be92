package io.statestore.client.lock;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listeners for the loss of a lock. A listener that throws does not affect the others.
 * Safe for use by several threads.
 */
final class LossListeners {

	private static final Logger logger = LoggerFactory.getLogger(LossListeners.class);

	private final List<Consumer<LockLoss>> listeners = new CopyOnWriteArrayList<>();

	void add(Consumer<LockLoss> listener) {
		this.listeners.add(listener);
	}

	void remove(Consumer<LockLoss> listener) {
		this.listeners.remove(listener);
	}

	void clear() {
		this.listeners.clear();
	}

	boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/** Notifies all listeners on the calling thread. */
	void report(LockLoss loss) {
		this.listeners.forEach((listener) -> report(loss, listener));
	}

	/** Notifies one listener on the calling thread, and logs its failure. */
	static void report(LockLoss loss, Consumer<LockLoss> listener) {
		try {
			listener.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener for the loss of lock {} failed", loss.key(), ex);
		}
	}

}
