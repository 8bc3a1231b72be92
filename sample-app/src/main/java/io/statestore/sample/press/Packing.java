package io.statestore.sample.press;

import java.time.Instant;
import java.util.Optional;

import io.statestore.client.FencingToken;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The leader's work: packs one batch after the other. */
@Component
class Packing {

	/** How long packing a batch takes, in milliseconds. */
	private static final long MILLIS = 800;

	private static final Logger logger = LoggerFactory.getLogger(Packing.class);

	private final StateStoreTemplate store;

	private final StateStoreLeaderInitiator election;

	private final Rejections rejections;

	private final String name;

	private @Nullable FencingToken claimed;

	Packing(StateStoreTemplate store, StateStoreLeaderInitiator election, Rejections rejections,
			@Value("${sample.name}") String name) {
		this.store = store;
		this.election = election;
		this.rejections = rejections;
		this.name = name;
	}

	/**
	 * Packs a batch. Does nothing unless this press is the leader:
	 * docs/locks.md#leader-election.
	 */
	@LeaderOnly
	@Scheduled(fixedDelay = 10)
	void pack() throws InterruptedException {
		try {
			Optional<LeaderContext> term = this.election.context();
			if (term.isPresent()) {
				pack(term.get());
			}
		}
		catch (StateStoreException ex) {
			logger.warn("Could not pack a batch; retrying: {}", ex.getMessage());
		}
	}

	private void pack(LeaderContext term) throws InterruptedException {
		claim(term);
		long latest = this.store.getValue(Batch.KEY, Batch.class).orElse(Batch.NONE).number();
		Thread.sleep(MILLIS);
		Batch batch = batch(latest + 1, term);
		try {
			// This process may have been paused, and the term may have ended. The store
			// knows the token of the next leader and refuses this write: docs/locks.md.
			this.store.fencedBy(term.token()).set(Batch.KEY, batch);
		}
		catch (StaleFencingTokenException ex) {
			this.rejections.add(batch);
		}
	}

	/**
	 * Writes the key at the beginning of a term. From then on, the store refuses writes
	 * from earlier leaders: docs/locks.md.
	 */
	private void claim(LeaderContext term) {
		if (!term.token().equals(this.claimed)) {
			term.heldLock()
				.update(Batch.KEY, Batch.class,
						(latest) -> Optional.of(batch(latest.orElse(Batch.NONE).number(), term)));
			this.claimed = term.token();
		}
	}

	private Batch batch(long number, LeaderContext term) {
		return new Batch(number, this.name, term.token().toString(), Instant.now());
	}

}
