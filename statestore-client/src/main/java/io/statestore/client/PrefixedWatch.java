package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Watch that shows its key without the prefix that the key has in the store.
 *
 * @param key the key without the prefix
 * @param watch the watch of the stored key
 */
record PrefixedWatch(Key key, KeyWatch watch) implements KeyWatch {

	@Override
	public CompletableFuture<Void> started() {
		return this.watch.started();
	}

	@Override
	public boolean awaitStarted(Duration timeout) throws InterruptedException {
		return this.watch.awaitStarted(timeout);
	}

	@Override
	public boolean isConnected() {
		return this.watch.isConnected();
	}

	@Override
	public boolean isActive() {
		return this.watch.isActive();
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		return this.watch.closeAsync();
	}

}
