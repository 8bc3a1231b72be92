package io.statestore.broker.server;

import java.util.Set;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Passes each change of the state machine to the observers and to the journal. */
final class ChangePublisher implements ChangeListener {

	private final Observations observations;

	private final Messages messages;

	private final @Nullable ChangeFeed feed;

	ChangePublisher(Observations observations, Messages messages, @Nullable ChangeFeed feed) {
		this.observations = observations;
		this.messages = messages;
		this.feed = feed;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		if (this.feed != null) {
			this.feed.changed(key, value, version, author);
		}
		Set<ClientConnection> observers = this.observations.of(key);
		if (!observers.isEmpty()) {
			this.messages.notifyOfChange(key, value, version, author != null, observers);
		}
	}

}
