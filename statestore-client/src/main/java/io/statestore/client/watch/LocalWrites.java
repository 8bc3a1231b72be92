package io.statestore.client.watch;

import java.util.TreeMap;
import java.util.TreeSet;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * This client's writes to a key: writes that have no reply yet, and the versions of
 * replied writes whose changes have not arrived yet. Not thread-safe.
 */
final class LocalWrites {

	/** Maximum number of versions. The oldest versions are evicted first. */
	static final int MAX_VERSIONS = 1024;

	/** Ids of writes without a reply. */
	private final TreeSet<Long> pending = new TreeSet<>();

	/** Versions of changes that have not arrived, and whether each is a deletion. */
	private final TreeMap<Version, Boolean> versions = new TreeMap<>();

	private @Nullable Version lastDeletion;

	private long lastStarted;

	/** Adds a write that is about to be sent. */
	void started(long id) {
		this.pending.add(id);
		this.lastStarted = Math.max(this.lastStarted, id);
	}

	/**
	 * Marks a write as ended.
	 * @param version version of the change, {@code null} if the write changed nothing or
	 * the version is unknown
	 */
	void finished(long id, @Nullable Version version, boolean deletion) {
		this.pending.remove(id);
		if (version == null) {
			return;
		}
		this.versions.put(version, deletion);
		if (this.versions.size() > MAX_VERSIONS) {
			this.versions.pollFirstEntry();
		}
		if (deletion && (this.lastDeletion == null || this.lastDeletion.compareTo(version) < 0)) {
			this.lastDeletion = version;
		}
	}

	/**
	 * Removes all versions up to the given version, whose changes can no longer arrive.
	 */
	void seen(@Nullable Version version) {
		if (version != null) {
			this.versions.headMap(version, true).clear();
			if (this.lastDeletion != null && this.lastDeletion.compareTo(version) <= 0) {
				this.lastDeletion = null;
			}
		}
	}

	/** Returns whether the change is known to be a local write. */
	boolean contains(KeyChange<Bytes> change) {
		Boolean deletion = this.versions.get(change.version());
		return deletion != null && deletion == (change.operation() == Operation.DELETE);
	}

	/**
	 * Removes and returns the version of the last local deletion that has not arrived
	 * yet, {@code null} for none.
	 */
	@Nullable Version removeLastDeletion() {
		Version version = this.lastDeletion;
		this.lastDeletion = null;
		return version;
	}

	/** Returns the largest id of all writes, 0 if there were no writes. */
	long lastStarted() {
		return this.lastStarted;
	}

	/** Returns whether all writes up to the given id have ended. */
	boolean isSettled(long id) {
		return this.pending.isEmpty() || this.pending.first() > id;
	}

}
