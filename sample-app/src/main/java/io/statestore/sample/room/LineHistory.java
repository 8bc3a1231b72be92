package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.history.HistoryChange;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.history.HistoryException;
import io.statestore.history.HistoryQuery;
import io.statestore.history.HistoryStream;
import io.statestore.history.MissingChangesException;
import io.statestore.history.StateHistory;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the store, including those before this start: docs/history.md. Reads the
 * journal of the broker, so its methods may take some time.
 */
class LineHistory {

	private static final int MAX_CHANGES = 500;

	/** A read takes CPU and memory: it reads the whole journal. */
	private static final int MAX_READS = 2;

	private static final Duration POLL = Duration.ofMillis(20);

	private final boolean available;

	private final Supplier<@Nullable StateHistory> history;

	private final Semaphore reads = new Semaphore(MAX_READS);

	/**
	 * Creates a history.
	 * @param available whether the broker keeps a history
	 * @param history returns the history, {@code null} while the broker is offline
	 */
	LineHistory(boolean available, Supplier<@Nullable StateHistory> history) {
		this.available = available;
		this.history = history;
	}

	/**
	 * A change of a key.
	 *
	 * @param value the new value as text, {@code null} if the key was deleted or expired
	 * @param author client that made the change, {@code null} if the key expired
	 * @param at time of the change, by the clock of the store
	 * @param version version of the change
	 */
	record Change(@Nullable String value, @Nullable String author, Instant at, String version) {

		static Change of(HistoryChange change) {
			return new Change((change.operation() == Operation.SET) ? KeyTable.text(change.value()) : null,
					change.author(), Instant.ofEpochMilli(change.version().wallMillis()), change.version().toString());
		}

	}

	/**
	 * Changes of a key.
	 *
	 * @param total their number
	 * @param latest the last 500 of them, oldest first
	 */
	record Changes(long total, List<Change> latest) {
	}

	/** Returns whether the broker keeps a history: not with Mosquitto. */
	boolean isAvailable() {
		return this.available;
	}

	/** Returns the keys that have ever existed, in alphabetical order. */
	List<String> keys() {
		Set<String> keys = new TreeSet<>();
		read(HistoryQuery.all(), (change) -> keys.add(change.key().toUtf8()));
		return List.copyOf(keys);
	}

	/** Returns the changes of a key. */
	Changes changes(String key) {
		Deque<Change> changes = new ArrayDeque<>();
		AtomicLong total = new AtomicLong();
		read(HistoryQuery.all().key(Bytes.of(key)), (change) -> {
			total.incrementAndGet();
			changes.addLast(Change.of(change));
			if (changes.size() > MAX_CHANGES) {
				changes.removeFirst();
			}
		});
		return new Changes(total.get(), List.copyOf(changes));
	}

	private void read(HistoryQuery query, Consumer<HistoryChange> consumer) {
		startRead();
		try (HistoryStream stream = history().changes(query)) {
			while (stream.lag() != 0) {
				HistoryChange change = next(stream);
				if (change != null && isOfClient(change)) {
					consumer.accept(change);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new HistoryException("Interrupted while reading the history", ex);
		}
		finally {
			this.reads.release();
		}
	}

	private void startRead() {
		if (!this.reads.tryAcquire()) {
			throw new IllegalStateException("The history is being read by other pages. Try again");
		}
	}

	/** Returns the next change. Retention may remove changes while they are read. */
	private static @Nullable HistoryChange next(HistoryStream stream) throws InterruptedException {
		try {
			return stream.next(POLL);
		}
		catch (MissingChangesException ex) {
			return null;
		}
	}

	private static boolean isOfClient(HistoryChange change) {
		return switch (change.operation()) {
			case SET, DELETE, EXPIRE -> true;
			case START, GAP, PRESENT, COMPLETE, CONTENT -> false;
		};
	}

	/**
	 * Returns the content of the store after the change with a version, in alphabetical
	 * order.
	 * @throws IllegalArgumentException if the version is malformed
	 * @throws IllegalStateException if the history is unavailable, or two reads are in
	 * progress
	 */
	List<StoredKey> storeAt(String version) {
		Version moment = parse(version);
		startRead();
		try {
			return history().rebuild(moment)
				.entries()
				.entrySet()
				.stream()
				.map((entry) -> new StoredKey(entry.getKey().toUtf8(), KeyTable.text(entry.getValue().value()),
						entry.getValue().version().toString(), 0))
				.sorted(Comparator.comparing(StoredKey::key))
				.toList();
		}
		finally {
			this.reads.release();
		}
	}

	private static Version parse(String version) {
		try {
			return Version.parse(version);
		}
		catch (ProtocolException ex) {
			throw new IllegalArgumentException("The version '" + version + "' is malformed", ex);
		}
	}

	private StateHistory history() {
		StateHistory current = this.history.get();
		if (current == null) {
			throw new IllegalStateException("The history is unavailable while the broker is offline");
		}
		return current;
	}

}
