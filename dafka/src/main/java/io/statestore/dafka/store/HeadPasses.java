package io.statestore.dafka.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import org.jspecify.annotations.Nullable;

/**
 * Sends the heads of partitions, no faster than consumers and stores receive them. A pass
 * is one cycle through the list of partitions. It pauses while there is no room. If the
 * same request arrives again during its pass, the pass continues from its current
 * position for another full cycle. A consumer that subscribes to
 * {@link Command.EndOfHeads} receives the end of each pass, unless heads may have been
 * dropped. Not thread-safe.
 */
final class HeadPasses {

	private static final int MAX_PASSES = 10_000;

	private static final int HEADS_PER_TURN = 4_096;

	private static final int HEADS_PER_PASS = 512;

	private final Bytes address;

	private final Machine.Output output;

	/** Partitions that have or had records, in the order of their first records. */
	private final List<StoredPartition> all = new ArrayList<>();

	private final Map<Bytes, List<StoredPartition>> bySubject = new HashMap<>();

	/** Consumers that subscribe to the ends of passes. */
	private final Set<Bytes> confirmed = new LinkedHashSet<>();

	private final Map<Key, Pass> passes = new LinkedHashMap<>();

	HeadPasses(Bytes address, Machine.Output output) {
		this.address = address;
		this.output = output;
	}

	/** Adds a partition that has received its first record. */
	void add(StoredPartition partition) {
		this.all.add(partition);
		this.bySubject.computeIfAbsent(partition.key().subject(), (subject) -> new ArrayList<>()).add(partition);
	}

	/** Removes partitions. Unfinished passes start another cycle. */
	void remove(Collection<StoredPartition> partitions) {
		if (partitions.isEmpty()) {
			return;
		}
		Set<StoredPartition> removed = new HashSet<>(partitions);
		this.all.removeIf(removed::contains);
		this.bySubject.values().forEach((list) -> list.removeIf(removed::contains));
		this.bySubject.values().removeIf(List::isEmpty);
		this.passes.forEach((key, pass) -> pass.restart(partitions(key.subject()).size()));
	}

	/**
	 * Starts a pass, or another cycle of an unfinished pass.
	 * @param recipient address of a consumer or store
	 * @param subject topic of the heads, or {@code null} for all topics
	 */
	void start(Bytes recipient, @Nullable Bytes subject) {
		Key key = new Key(recipient, subject);
		if (this.passes.size() < MAX_PASSES || this.passes.containsKey(key)) {
			this.passes.computeIfAbsent(key, (absent) -> new Pass()).restart(partitions(subject).size());
		}
	}

	/**
	 * Handles a subscription to the ends of passes. Earlier heads may be lost, so the
	 * consumer's unfinished passes start again.
	 */
	void confirm(Bytes consumer) {
		if (this.confirmed.size() < MAX_PASSES) {
			this.confirmed.add(consumer);
		}
		this.passes.forEach((key, pass) -> {
			if (key.recipient().equals(consumer)) {
				pass.sent = 0;
				pass.restart(partitions(key.subject()).size());
			}
		});
	}

	void leave(Bytes consumer) {
		this.confirmed.remove(consumer);
	}

	/**
	 * Sends heads while there is room.
	 * @return whether any pass is unfinished
	 */
	boolean work() {
		for (int left = HEADS_PER_TURN; left > 0 && !this.passes.isEmpty() && this.output.hasRoom();) {
			Map.Entry<Key, Pass> entry = this.passes.entrySet().iterator().next();
			Key key = entry.getKey();
			Pass pass = entry.getValue();
			this.passes.remove(key);
			left -= send(key, pass);
			if (pass.left > 0) {
				this.passes.put(key, pass);
			}
			else if (this.confirmed.contains(key.recipient()) && !pass.dropped && key.subject() != null) {
				this.output.send(new Command.EndOfHeads(key.recipient(), this.address, key.subject(), pass.sent));
			}
		}
		return !this.passes.isEmpty();
	}

	/**
	 * Continues a pass. Returns the number of visited partitions, or 1 if there were
	 * none.
	 */
	private int send(Key key, Pass pass) {
		List<StoredPartition> partitions = partitions(key.subject());
		int passed = 0;
		while (pass.left > 0 && passed < HEADS_PER_PASS && this.output.hasRoom()) {
			pass.position = (pass.position < pass.size) ? pass.position : 0;
			StoredPartition partition = partitions.get(pass.position++);
			pass.left--;
			passed++;
			if (partition.hasRecords()) {
				pass.sent++;
				pass.dropped = pass.dropped || this.output.isDropping();
				this.output.send(new Command.DirectHead(key.recipient(), partition.key().address(),
						partition.key().subject(), partition.next() - 1));
			}
		}
		return Math.max(1, passed);
	}

	private List<StoredPartition> partitions(@Nullable Bytes subject) {
		return (subject != null) ? this.bySubject.getOrDefault(subject, List.of()) : this.all;
	}

	private record Key(Bytes recipient, @Nullable Bytes subject) {
	}

	private static final class Pass {

		/** Index of the next partition. */
		private int position;

		/**
		 * Number of partitions at the latest request. Partitions added since belong to
		 * the next pass. In the current pass, they would take the place of partitions not
		 * yet sent.
		 */
		private int size;

		private int left;

		/** Number of heads sent since the first request, including repeated heads. */
		private long sent;

		/** Whether a head may have been dropped. */
		private boolean dropped;

		void restart(int partitions) {
			this.size = partitions;
			this.left = partitions;
		}

	}

}
