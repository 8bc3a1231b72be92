package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of messages for one client, or of acknowledgments for the broker. Messages wait
 * until the client's earlier watches are retained. Acknowledgments wait until their
 * requests have completed. Both keep their order (MQTT 5 section 4.6). Used only on the
 * event loop.
 */
final class HeldMessages {

	private static final Logger logger = LoggerFactory.getLogger(HeldMessages.class);

	private final Deque<Step> steps = new ArrayDeque<>();

	/**
	 * Holds all later messages.
	 * @return an action that releases the messages; running it again has no effect
	 */
	Runnable hold() {
		return hold(() -> {
		});
	}

	/**
	 * Holds a message and all later messages.
	 * @return an action that releases the messages; running it again has no effect
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

	/** Sends a message after all earlier messages. */
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
				logger.error("Failed to send a message to a client; continuing with the next message. This is a bug: "
						+ "report it with this stack trace", ex);
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
