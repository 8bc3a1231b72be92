package io.statestore.dafka.consumer;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;

/**
 * Partitions for whose records there is no room. They continue when the listener makes
 * room. Without a store, their producers learn which records to keep. Not thread-safe.
 */
final class BlockedPartitions {

	/** Maximum number of partitions held at once; the others follow the next time. */
	private static final int MAX_HOLDS = 2_000;

	/** Time for which the next record of a partition that was behind is requested. */
	private static final long HOLD_NANOS = 1_000_000_000;

	private final Set<ReadPartition> blocked = new LinkedHashSet<>();

	/** Partitions that are or were behind without a store, and the time of it. */
	private final Map<ReadPartition, Long> behind = new LinkedHashMap<>();

	private final WaitingRecords waiting;

	private final Backpressure backpressure;

	/** Called with each partition that continues. */
	private final Consumer<ReadPartition> resumed;

	BlockedPartitions(WaitingRecords waiting, Backpressure backpressure, Consumer<ReadPartition> resumed) {
		this.waiting = waiting;
		this.backpressure = backpressure;
		this.resumed = resumed;
	}

	/**
	 * Adds a partition.
	 * @return whether to {@link #hold} its records at once: its producer may be about to
	 * close, and what it has sent is not read
	 */
	boolean add(ReadPartition partition, boolean store, long now) {
		this.backpressure.full(store, now);
		this.blocked.add(partition);
		return !store && this.behind.put(partition, now) == null;
	}

	void remove(ReadPartition partition) {
		this.blocked.remove(partition);
		this.behind.remove(partition);
	}

	/**
	 * Continues with partitions for which there is room now. With a store, half of the
	 * room has to be free. Without one, any room is enough, because a producer waits only
	 * for consumers that make progress.
	 */
	void resume(boolean store, long now) {
		boolean roomAgain = this.waiting.pollRoomAgain();
		if (roomAgain || (!store && !this.blocked.isEmpty() && this.waiting.hasRoom())) {
			this.backpressure.end(now);
			resumeAll(now);
		}
		this.backpressure.check(store, now);
		if (!this.blocked.isEmpty() && !this.waiting.hasRoom()) {
			this.backpressure.full(store, now);
		}
	}

	private void resumeAll(long now) {
		for (ReadPartition partition : List.copyOf(this.blocked)) {
			if (!this.waiting.hasRoom()) {
				break;
			}
			this.blocked.remove(partition);
			partition.reader.resume(now);
			this.resumed.accept(partition);
		}
	}

	/**
	 * Requests the next record of each partition that is or was behind. Without a store,
	 * this tells their producers which records to keep.
	 * @param incomplete partitions with missing records
	 * @param request requests a record of a partition
	 */
	void hold(Stream<ReadPartition> incomplete, ObjLongConsumer<ReadPartition> request, long now) {
		Stream.concat(this.blocked.stream(), incomplete).forEach((partition) -> this.behind.put(partition, now));
		this.behind.entrySet().removeIf((entry) -> now - entry.getValue() > HOLD_NANOS);
		List<ReadPartition> held = this.behind.keySet().stream().limit(MAX_HOLDS).toList();
		for (ReadPartition partition : held) {
			// Moves it behind the others.
			this.behind.put(partition, Objects.requireNonNull(this.behind.remove(partition)));
			long next = partition.reader.hold();
			if (next >= 0) {
				request.accept(partition, next);
			}
		}
	}

}
