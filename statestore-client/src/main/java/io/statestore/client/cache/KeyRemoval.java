package io.statestore.client.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.statestore.client.DeleteResult;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreTemplate;

/** Removal of all keys that match a pattern, several at a time. */
record KeyRemoval(StateStoreTemplate template) {

	/** Maximum number of keys removed at the same time. */
	private static final int BATCH = 256;

	/**
	 * Removes the keys.
	 * @return the number of keys removed
	 * @throws StateStoreException if a key could not be removed
	 */
	long removeAll(String pattern) {
		long removed = 0;
		List<CompletableFuture<DeleteResult>> batch = new ArrayList<>();
		for (Key key : this.template.scan(pattern)) {
			batch.add(this.template.async().delete(key));
			if (batch.size() == BATCH) {
				removed += await(batch);
				batch.clear();
			}
		}
		return removed + await(batch);
	}

	private long await(List<CompletableFuture<DeleteResult>> batch) {
		try {
			this.template.time().get(CompletableFuture.allOf(batch.toArray(CompletableFuture[]::new)), null);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StateStoreOutcomeUnknownException(
					"Interrupted while removing the keys of a cache. Some of them may remain", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new StateStoreException("At least one key of the cache was not removed. Repeat the call", ex);
		}
		return batch.stream().filter((reply) -> reply.join().deleted()).count();
	}

}
