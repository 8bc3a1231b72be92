package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Delays what is sent to one client until its observations are retained, without changing
 * the order. Used on the event loop only.
 */
final class HeldMessages {

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
			this.steps.remove().message.run();
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
