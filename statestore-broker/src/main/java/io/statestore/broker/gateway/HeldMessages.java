package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of messages to one client, or of acknowledgments to the broker. Messages wait
 * until earlier watches of the client are retained, and acknowledgments until their
 * requests have completed; both keep their order (MQTT 5 section 4.6). Used on the event
 * loop only.
 */
final class HeldMessages {

	private static final Logger logger = LoggerFactory.getLogger(HeldMessages.class);

	private final Deque<Step> steps = new ArrayDeque<>();

	/**
	 * Holds all later messages.
	 * @return releases the messages; has no effect when called again
	 */
	Runnable hold() {
		return hold(() -> {
		});
	}

	/**
	 * Holds a message and all later ones.
	 * @return releases the messages; has no effect when called again
	 */
	Runnable hold(Runnable message) {
		Step step = new Step(message);
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

	/** Sends a message after all earlier ones. */
	void send(Runnable message) {
		if (this.steps.isEmpty()) {
			message.run();
		}
		else {
			hold(message).run();
		}
	}

	private void sendReady() {
		while (!this.steps.isEmpty() && this.steps.element().ready) {
			try {
				this.steps.remove().message.run();
			}
			catch (RuntimeException ex) {
				logger.error("Failed to send a message; continuing with the next one", ex);
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
