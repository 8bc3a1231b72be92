package io.statestore.broker.artemis.session;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.persistence.impl.journal.LargeServerMessageImpl;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Consumer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to the queues in which Artemis holds the messages of subscriptions. Thread-safe.
 */
final class ArtemisQueues {

	private static final Logger logger = LoggerFactory.getLogger(ArtemisQueues.class);

	private final ActiveMQServer server;

	ArtemisQueues(ActiveMQServer server) {
		this.server = server;
	}

	/**
	 * Returns the name of the queue of a subscription.
	 * @param clientId id of the subscriber in Artemis
	 * @param filter topic filter of the subscription in Artemis
	 */
	String name(String clientId, String filter) {
		return QueueNames.of(clientId, filter, this.server.getConfiguration().getWildcardConfiguration());
	}

	/**
	 * Stops deliveries to a connection, and waits until deliveries in progress end.
	 * @param connectionId id of the connection in Artemis
	 * @param queues names of the queues from which deliveries stop
	 */
	void stopDelivery(Object connectionId, Set<String> queues) {
		if (queues.isEmpty()) {
			return;
		}
		for (ServerSession session : this.server.getSessions(connectionId.toString())) {
			session.getServerConsumers()
				.stream()
				.filter((consumer) -> queues.contains(consumer.getQueue().getName().toString()))
				.forEach((consumer) -> consumer.setStarted(false));
		}
	}

	/** Returns the names of the queues of all subscriptions. */
	Stream<String> ofSubscriptions() {
		return this.server.getPostOffice()
			.getAllBindings()
			.filter(LocalQueueBinding.class::isInstance)
			.map((binding) -> binding.getUniqueName().toString())
			.filter(QueueNames::isSubscription);
	}

	/** Returns whether a queue exists and has at least one consumer. */
	boolean hasConsumers(String name) {
		Queue queue = this.server.locateQueue(name);
		return queue != null && queue.getConsumerCount() > 0;
	}

	/** Returns the ids of the messages of a queue, none if it does not exist. */
	Set<Long> messageIds(String name) {
		Set<Long> ids = new HashSet<>();
		Queue queue = this.server.locateQueue(name);
		if (queue != null) {
			try (LinkedListIterator<MessageReference> references = queue.iterator()) {
				references.forEachRemaining((reference) -> ids.add(reference.getMessageID()));
			}
		}
		return ids;
	}

	/**
	 * Removes large messages of which the disk contains only the beginning. Messages that
	 * the broker has acknowledged are complete.
	 */
	void removeIncompleteMessages() {
		this.server.getPostOffice()
			.getAllBindings()
			.filter(LocalQueueBinding.class::isInstance)
			.map((binding) -> ((LocalQueueBinding) binding).getQueue())
			.forEach(ArtemisQueues::removeIncompleteMessages);
	}

	private static void removeIncompleteMessages(Queue queue) {
		Set<Long> incomplete = new HashSet<>();
		try (LinkedListIterator<MessageReference> references = queue.iterator()) {
			references.forEachRemaining((reference) -> {
				if (reference.getMessage() instanceof LargeServerMessageImpl message && isIncomplete(message)) {
					incomplete.add(message.getMessageID());
				}
			});
		}
		for (long id : incomplete) {
			try {
				queue.deleteReference(id);
				logger.warn("Removed a message of queue {}: it was not written completely before the latest stop",
						queue.getName());
			}
			catch (Exception ex) {
				logger.warn("Failed to remove an incomplete message of queue {}", queue.getName(), ex);
			}
		}
	}

	private static boolean isIncomplete(LargeServerMessageImpl message) {
		try {
			return message.containsProperty(Message.HDR_LARGE_BODY_SIZE)
					&& message.getBodySize() < message.getLongProperty(Message.HDR_LARGE_BODY_SIZE);
		}
		catch (ActiveMQException ex) {
			logger.debug("Failed to read the size of a message", ex);
			return true;
		}
	}

	/**
	 * Removes the consumers and the messages of a queue.
	 * @param name name of the queue
	 * @param unused returns whether the queue has no subscription. The removal stops as
	 * soon as it returns {@code false}.
	 */
	void empty(String name, BooleanSupplier unused) {
		Queue queue = this.server.locateQueue(name);
		if (queue == null) {
			return;
		}
		Collection<Consumer> consumers = queue.getConsumers();
		try {
			if (unused.getAsBoolean()) {
				consumers.forEach(Consumer::disconnect);
			}
			queue.deleteMatchingReferences(new ConditionFilter(unused));
		}
		catch (Exception ex) {
			logger.debug("Failed to empty queue {}", name, ex);
		}
	}

	/**
	 * Removes a queue with its messages and consumers.
	 * @param name name of the queue
	 */
	void remove(String name) {
		try {
			this.server.destroyQueue(SimpleString.of(name), null, false, true, true);
		}
		catch (Exception ex) {
			logger.debug("Failed to remove queue {}", name, ex);
		}
	}

}
