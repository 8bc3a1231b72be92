package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Watch whose key in the store has a prefix. */
final class PrefixedWatch implements KeyWatch {

	private final Key key;

	private final KeyWatch watch;

	PrefixedWatch(Key key, KeyWatch watch) {
		this.key = key;
		this.watch = watch;
	}

	/** Returns the key without the prefix. */
	@Override
	public Key key() {
		return this.key;
	}

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
