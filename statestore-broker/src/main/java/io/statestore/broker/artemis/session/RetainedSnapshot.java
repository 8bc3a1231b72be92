package io.statestore.broker.artemis.session;

import java.util.Iterator;
import java.util.List;

import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages of one topic, of which a new subscription copies the last. The
 * messages may be replaced meanwhile, but their files remain until the iterator is
 * closed. Removals have no effect.
 */
final class RetainedSnapshot implements LinkedListIterator<MessageReference> {

	private final List<MessageReference> messages;

	private final Iterator<MessageReference> remaining;

	/**
	 * Creates an iterator.
	 * @param messages messages in a queue, which the caller has locked
	 */
	RetainedSnapshot(List<MessageReference> messages) {
		this.messages = messages;
		this.remaining = messages.iterator();
		messages.forEach((reference) -> reference.getMessage().usageUp());
	}

	@Override
	public boolean hasNext() {
		return this.remaining.hasNext();
	}

	@Override
	public MessageReference next() {
		return this.remaining.next();
	}

	@Override
	public void remove() {
		// Artemis would remove messages from memory, but not from the disk.
	}

	@Override
	public void repeat() {
		throw new UnsupportedOperationException();
	}

	@Override
	public @Nullable MessageReference removeLastElement() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
		this.messages.forEach((reference) -> reference.getMessage().usageDown());
	}

}
