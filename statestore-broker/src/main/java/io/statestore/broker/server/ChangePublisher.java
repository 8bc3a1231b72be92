package io.statestore.broker.server;

import java.util.Collection;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes each change of the state machine to the watchers. */
final class ChangePublisher implements ChangeListener {

	private static final Logger logger = LoggerFactory.getLogger(ChangePublisher.class);

	private final Watches watches;

	private final WatcherAccess access;

	private final Messages messages;

	ChangePublisher(Watches watches, WatcherAccess access, Messages messages) {
		this.watches = watches;
		this.access = access;
		this.messages = messages;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		try {
			Collection<ClientConnection> watchers = this.access.permitted(key, this.watches.of(key));
			if (!watchers.isEmpty()) {
				this.messages.notifyOfChange(key, value, version, author != null, watchers);
			}
		}
		catch (RuntimeException ex) {
			// The change has already been made, and an exception would stop the store.
			logger.error("Failed to notify the watchers of a changed key, so they may miss the change. This is a bug: "
					+ "report it with this stack trace", ex);
		}
	}

}
