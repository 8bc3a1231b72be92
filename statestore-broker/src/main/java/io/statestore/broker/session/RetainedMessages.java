package io.statestore.broker.session;

import java.util.function.Consumer;

import io.statestore.broker.session.SessionMemory.User;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages with their memory and expiry (MQTT 5 section 3.3.1.3). Changed by the
 * state machine; any thread may read them concurrently.
 */
final class RetainedMessages {

	private final TopicTree<Retained> messages = new TopicTree<>();

	private final SessionMemory memory;

	private final Deadlines deadlines;

	RetainedMessages(SessionMemory memory, Deadlines deadlines) {
		this.memory = memory;
		this.deadlines = deadlines;
	}

	/**
	 * Returns how much more heap a user would hold if a message were retained, in bytes.
	 */
	long additionalCost(Message message, User user) {
		if (removes(message)) {
			return 0;
		}
		Retained current = this.messages.get(message.topic());
		return new Retained(message, user).cost() - ((current != null && current.user == user) ? current.cost() : 0);
	}

	private static boolean removes(Message message) {
		return message.payload().length == 0;
	}

	/** Retains a message, or removes the retained message if the payload is empty. */
	void put(Message message, User user) {
		replace(message.topic(), removes(message) ? null : new Retained(message, user));
	}

	void remove(String topic) {
		replace(topic, null);
	}

	private void replace(String topic, @Nullable Retained next) {
		this.messages.update(topic, (replaced) -> {
			if (replaced != null) {
				this.memory.holdRetained(replaced.user, -replaced.cost());
				replaced.user.retained().remove(topic);
				this.deadlines.remove(replaced.message);
			}
			if (next != null) {
				this.memory.holdRetained(next.user, next.cost());
				next.user.retained().put(topic, next.message);
				this.deadlines.add(next.message);
			}
			return next;
		});
	}

	/** Visits the messages for a new subscription. */
	void visit(Session session, Subscription subscription, long now, Consumer<Message> visitor) {
		this.messages.select(subscription.topicFilter(), (retained) -> {
			if (!retained.message.isExpired(now) && subscription.isReceivedBy(session.clientId(), retained.message)) {
				visitor.accept(retained.message);
			}
		});
	}

	/** A retained message and the user who published it. */
	private record Retained(Message message, User user) {

		long cost() {
			return SessionMemory.RETAINED + SessionMemory.ofLevels(this.message.topic()) + this.message.cost();
		}

	}

}
