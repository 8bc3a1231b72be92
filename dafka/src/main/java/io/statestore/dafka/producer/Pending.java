package io.statestore.dafka.producer;

import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/** Record from the call to {@code send} until its acknowledgment. */
final class Pending {

	/** Memory used by a record, in bytes, not including its content. */
	static final int OVERHEAD = 128;

	final ProducerPartition partition;

	final Bytes content;

	/** Set to {@code null} when complete, because the record may be kept for longer. */
	@Nullable CompletableFuture<Position> future;

	/** Sequence number, set when the record is published. */
	long sequence;

	Pending(ProducerPartition partition, Bytes content, CompletableFuture<Position> future) {
		this.partition = partition;
		this.content = content;
		this.future = future;
	}

	long cost() {
		return OVERHEAD + this.content.size();
	}

}
