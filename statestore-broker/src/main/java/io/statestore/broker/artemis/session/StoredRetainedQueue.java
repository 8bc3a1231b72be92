package io.statestore.broker.artemis.session;

import java.util.ArrayList;
import java.util.List;

import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.postoffice.PostOffice;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.LargeServerMessage;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.QueueFactory;
import org.apache.activemq.artemis.core.server.RoutingContext;
import org.apache.activemq.artemis.core.server.impl.AckReason;
import org.apache.activemq.artemis.core.server.impl.RoutingContextImpl;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.core.transaction.impl.TransactionImpl;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.jspecify.annotations.Nullable;

/**
 * A retained message that is stored. It is visible to new subscriptions at once, and
 * acknowledged when it is on the disk. One transaction stores it and removes the earlier
 * one, so that a crash leaves exactly one of them.
 */
final class StoredRetainedQueue extends MqttQueue {

	private final StorageManager storage;

	private final PostOffice office;

	private final RetainedReplacements replacements;

	/**
	 * Creates a queue.
	 * @param configuration name and address of the queue
	 * @param filter filter of its messages
	 * @param pages messages of the queue in files, which do not exist
	 * @param factory the factory of the queue
	 * @param server server of the queue
	 * @param replacements replacements of retained messages
	 */
	StoredRetainedQueue(QueueConfiguration configuration, @Nullable Filter filter, @Nullable PageSubscription pages,
			QueueFactory factory, ActiveMQServer server, RetainedReplacements replacements) {
		super(configuration, filter, pages, factory, server);
		this.storage = server.getStorageManager();
		this.office = server.getPostOffice();
		this.replacements = replacements;
	}

	/**
	 * Removes the message, unless a new one follows.
	 * @return the number of removed messages
	 */
	@Override
	public int deleteAllReferences() throws Exception {
		return this.replacements.takeReplacement(getName().toString()) ? 0 : super.deleteAllReferences();
	}

	/** Replaces the message. Stores messages of QoS 0 as well. */
	@Override
	public void route(Message message, RoutingContext context) throws Exception {
		message.setDurable(true);
		Transaction transaction = new TransactionImpl(this.storage);
		try {
			// The order in memory is that of the journal.
			synchronized (this) {
				replace(message, transaction);
				transaction.commit();
			}
		}
		catch (Exception ex) {
			transaction.rollback();
			throw ex;
		}
		// Removes the message if the queue was removed meanwhile.
		deliverAsync();
	}

	private void replace(Message message, Transaction transaction) throws Exception {
		RoutingContext routing = new RoutingContextImpl(transaction);
		super.route(message, routing);
		this.office.processRoute(message, routing, false);
		List<MessageReference> added = transaction.getAllOperations()
			.stream()
			.flatMap((operation) -> operation.getRelatedMessageReferences().stream())
			.toList();
		try (LinkedListIterator<MessageReference> earlier = super.iterator()) {
			while (earlier.hasNext()) {
				MessageReference reference = earlier.next();
				incDelivering(reference);
				acknowledge(transaction, reference, AckReason.NORMAL, null, true);
				earlier.remove();
				refRemoved(reference);
			}
		}
		added.forEach(this::reload);
		if (added.isEmpty() && message instanceof LargeServerMessage large) {
			// The limit of the topic is reached.
			large.deleteFile();
		}
	}

	/** Does nothing, because the message was added before it was on the disk. */
	@Override
	public void addTail(MessageReference reference, boolean direct) {
		// See route.
	}

	/** Returns a copy for a new subscription, which does not lock the queue. */
	@Override
	public LinkedListIterator<MessageReference> iterator() {
		if (Thread.holdsLock(this)) {
			return super.iterator();
		}
		synchronized (this) {
			List<MessageReference> messages = new ArrayList<>();
			try (LinkedListIterator<MessageReference> present = super.iterator()) {
				present.forEachRemaining(messages::add);
			}
			return new RetainedSnapshot(messages);
		}
	}

}
