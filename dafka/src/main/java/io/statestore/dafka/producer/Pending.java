package io.statestore.dafka.producer;

import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/** A record from send to acknowledgment. */
final class Pending {

	/** What a record costs besides its content. */
	static final int OVERHEAD = 128;

	final Lane lane;

	final Bytes content;

	/** Let go of when complete, since the record may be kept for much longer. */
	@Nullable CompletableFuture<Position> future;

	/** The one that was sent next, for {@link SendQueue}. */
	volatile @Nullable Pending following;

	/** Set when it is its turn. */
	long sequence;

	Pending(Lane lane, Bytes content, CompletableFuture<Position> future) {
		this.lane = lane;
		this.content = content;
		this.future = future;
	}

	long cost() {
		return OVERHEAD + this.content.size();
	}

}
