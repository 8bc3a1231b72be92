package io.statestore.sample.room;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.statestore.client.history.StateHistory;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Changes of the store, including those before this start: docs/history.md. The broker
 * sends them page by page, so the methods may take some time.
 */
@Component
class LineHistory {

	private static final int MAX_CHANGES = 500;

	/** The broker reads its entire history for each of them. */
	private static final int MAX_READS = 2;

	private final StateHistory history;

	private final Semaphore reads = new Semaphore(MAX_READS);

	LineHistory(StateHistory history) {
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

		static Change of(StoredChange change) {
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

	/** Returns the keys that the history contains, in alphabetical order. */
	List<String> keys() {
		return read(() -> this.history.changes("*")
			.filter((change) -> change.operation() != Operation.GAP)
			.map((change) -> change.key().toUtf8())
			.distinct()
			.sorted()
			.toList());
	}

	/** Returns the changes of a key. */
	Changes changes(String key) {
		return read(() -> {
			Deque<StoredChange> latest = new ArrayDeque<>();
			AtomicLong total = new AtomicLong();
			this.history.changes(GlobPattern.escape(key)).filter(LineHistory::isChange).forEach((change) -> {
				total.incrementAndGet();
				latest.addLast(change);
				if (latest.size() > MAX_CHANGES) {
					latest.removeFirst();
				}
			});
			return new Changes(total.get(), latest.stream().map(Change::of).toList());
		});
	}

	private static boolean isChange(StoredChange change) {
		return switch (change.operation()) {
			case SET, DELETE, EXPIRE -> true;
			case PRESENT, GAP -> false;
		};
	}

	/**
	 * Returns the content of the store after the change with a version, in alphabetical
	 * order.
	 * @throws IllegalArgumentException if the version is malformed
	 */
	List<StoredKey> storeAt(String version) {
		Version moment = parse(version);
		return read(() -> this.history.content("*", moment)
			.values()
			.stream()
			.map((entry) -> new StoredKey(entry.key().bytes().toUtf8(), KeyTable.text(entry.value()),
					entry.version().toString(), 0))
			.sorted(Comparator.comparing(StoredKey::key))
			.toList());
	}

	private static Version parse(String version) {
		try {
			return Version.parse(version);
		}
		catch (ProtocolException ex) {
			throw new IllegalArgumentException("The version '" + version + "' is malformed", ex);
		}
	}

	/**
	 * Reads the history.
	 * @throws IllegalStateException if two other reads are in progress
	 * @throws io.statestore.client.StateStoreException if the history is unavailable
	 */
	private <T> T read(Supplier<T> read) {
		if (!this.reads.tryAcquire()) {
			throw new IllegalStateException("The history is being read by other pages. Try again");
		}
		try {
			return read.get();
		}
		finally {
			this.reads.release();
		}
	}

}
