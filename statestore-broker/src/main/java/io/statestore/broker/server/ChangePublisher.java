package io.statestore.broker.server;

import java.util.Collection;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Passes each change of the state machine to the observers and to the journal. */
final class ChangePublisher implements ChangeListener {

	private final Observations observations;

	private final ObserverAccess access;

	private final Messages messages;

	private final @Nullable ChangeFeed feed;

	ChangePublisher(Observations observations, ObserverAccess access, Messages messages, @Nullable ChangeFeed feed) {
		this.observations = observations;
		this.access = access;
		this.messages = messages;
		this.feed = feed;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		if (this.feed != null) {
			this.feed.changed(key, value, version, author);
		}
		Collection<ClientConnection> observers = this.access.permitted(key, this.observations.of(key));
		if (!observers.isEmpty()) {
			this.messages.notifyOfChange(key, value, version, author != null, observers);
		}
	}

}
