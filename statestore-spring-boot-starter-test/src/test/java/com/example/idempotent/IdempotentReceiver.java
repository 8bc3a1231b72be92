package com.example.idempotent;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;

import org.springframework.stereotype.Component;

@Component
class IdempotentReceiver {

	/** Longer than the work on any message. */
	private static final Duration CLAIM = Duration.ofMinutes(1);

	/** Longer than the time in which the sender may repeat a message. */
	private static final Duration MEMORY = Duration.ofHours(1);

	private static final String DONE = "done";

	private final StateStoreOperations store;

	IdempotentReceiver(StateStoreOperations store) {
		this.store = store;
	}

	/**
	 * Does the work for a message unless an instance has already done it.
	 * @return whether the work was done now; {@code false} for a duplicate
	 */
	boolean receive(String messageId, Runnable work) {
		String key = "received/" + messageId;
		String claim = UUID.randomUUID().toString();
		if (!this.store.set(key, claim, (spec) -> spec.ifAbsent().expire(CLAIM)).applied()) {
			if (this.store.getValue(key, String.class).equals(Optional.of(DONE))) {
				return false;
			}
			throw new IllegalStateException("Another delivery of " + messageId + " is in progress: deliver it again");
		}
		try {
			work.run();
		}
		catch (RuntimeException ex) {
			release(key, claim, ex);
			throw ex;
		}
		this.store.set(key, DONE, (spec) -> spec.expire(MEMORY));
		return true;
	}

	private void release(String key, String claim, RuntimeException failure) {
		try {
			this.store.deleteIfEquals(key, claim);
		}
		catch (StateStoreException ex) {
			failure.addSuppressed(ex);
		}
	}

}
