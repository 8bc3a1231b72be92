package io.statestore.sample.press;

import java.time.Instant;
import java.util.Optional;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.Locked;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Counts the writes that the store has refused. */
@Component
class Rejections {

	private static final Logger logger = LoggerFactory.getLogger(Rejections.class);

	private final StateStoreTemplate store;

	private final StateStoreLockRegistry locks;

	Rejections(StateStoreTemplate store, StateStoreLockRegistry locks) {
		this.store = store;
		this.locks = locks;
	}

	/**
	 * Counts under a lock, so that presses do not overwrite each other's counts:
	 * docs/locks.md.
	 */
	@Locked("line-rejections")
	void add(Batch refused) {
		Batch newer = this.store.getValue(Batch.KEY, Batch.class).orElse(Batch.NONE);
		logger.warn("The store refused batch {}: its token {} is older than {}, the token of {}", refused.number(),
				refused.token(), newer.token(), newer.leader());
		this.locks.currentLock()
			.update(Rejection.KEY, Rejection.class,
					(latest) -> Optional.of(new Rejection(latest.map(Rejection::count).orElse(0L) + 1, refused.leader(),
							refused.token(), newer.leader(), newer.token(), Instant.now())));
	}

}
