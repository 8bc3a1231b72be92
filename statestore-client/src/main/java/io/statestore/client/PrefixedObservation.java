package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Observation whose key in the store has a prefix. */
final class PrefixedObservation implements KeyObservation {

	private final Key key;

	private final KeyObservation observation;

	PrefixedObservation(Key key, KeyObservation observation) {
		this.key = key;
		this.observation = observation;
	}

	/** Returns the key without the prefix. */
	@Override
	public Key key() {
		return this.key;
	}

	@Override
	public CompletableFuture<Void> started() {
		return this.observation.started();
	}

	@Override
	public boolean awaitStarted(Duration timeout) throws InterruptedException {
		return this.observation.awaitStarted(timeout);
	}

	@Override
	public boolean isConnected() {
		return this.observation.isConnected();
	}

	@Override
	public boolean isActive() {
		return this.observation.isActive();
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		return this.observation.closeAsync();
	}

}
