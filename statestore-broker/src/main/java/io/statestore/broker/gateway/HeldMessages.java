package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays what is sent to one client until its observations are retained, without changing
 * the order. Used on the event loop only.
 */
final class HeldMessages {

	private static final Logger logger = LoggerFactory.getLogger(HeldMessages.class);

	private final Deque<Step> steps = new ArrayDeque<>();

	/**
	 * Holds all later messages.
	 * @return releases them; has no effect the second time
	 */
	Runnable hold() {
		Step step = new Step(() -> {
		});
		this.steps.add(step);
		return () -> {
			step.ready = true;
			sendReady();
		};
	}

	/** Returns whether no message is held. */
	boolean isEmpty() {
		return this.steps.isEmpty();
	}

	/** Sends a message after the earlier ones. */
	void send(Runnable message) {
		if (this.steps.isEmpty()) {
			message.run();
		}
		else {
			Step step = new Step(message);
			step.ready = true;
			this.steps.add(step);
		}
	}

	private void sendReady() {
		while (!this.steps.isEmpty() && this.steps.element().ready) {
			try {
				this.steps.remove().message.run();
			}
			catch (RuntimeException ex) {
				logger.error("A message to a client could not be sent; continuing with the next one", ex);
			}
		}
	}

	private static final class Step {

		private final Runnable message;

		private boolean ready;

		private Step(Runnable message) {
			this.message = message;
		}

	}

}
