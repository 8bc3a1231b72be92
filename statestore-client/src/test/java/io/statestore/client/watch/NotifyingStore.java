package io.statestore.client.watch;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.KeyChange;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** A store whose tests, in any package, notify its watchers. */
public abstract class NotifyingStore implements CommandInvoker {

	private volatile NotificationSource.@Nullable Handler handler;

	private final NotificationSource source = new NotificationSource() {

		@Override
		public void open(Handler handler) {
			NotifyingStore.this.handler = handler;
			handler.connected();
		}

		@Override
		public void close() {
		}

		@Override
		public boolean isWatchable(Bytes key) {
			return true;
		}

	};

	/** Creates the watches of this store. */
	public final KeyWatches watches() {
		return new KeyWatches(this.source, this, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
				new ClientResources());
	}

	protected final void notifyWatchers(KeyChange<Bytes> change) {
		NotificationSource.Handler handler = this.handler;
		if (handler != null) {
			handler.changed(change);
		}
	}

}
