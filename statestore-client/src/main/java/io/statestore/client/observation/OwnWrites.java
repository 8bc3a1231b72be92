package io.statestore.client.observation;

import java.util.TreeMap;
import java.util.TreeSet;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The writes of this client to one key: those without a reply, and their versions. */
final class OwnWrites {

	/** More are not remembered; the oldest go first. */
	static final int MAX_VERSIONS = 1024;

	private final TreeSet<Long> pending = new TreeSet<>();

	/** Of changes that have not been seen yet; whether each is a deletion. */
	private final TreeMap<Version, Boolean> versions = new TreeMap<>();

	private @Nullable Version lastDeletion;

	private long lastStarted;

	/** A write is about to be sent. */
	void started(long id) {
		this.pending.add(id);
		this.lastStarted = Math.max(this.lastStarted, id);
	}

	/**
	 * Ends tracking a local write.
	 * @param version version of the change, {@code null} if there was none or it is
	 * unknown
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

	/** Handles the version of a change. Older changes no longer arrive. */
	void seen(@Nullable Version version) {
		if (version != null) {
			this.versions.headMap(version, true).clear();
			if (this.lastDeletion != null && this.lastDeletion.compareTo(version) <= 0) {
				this.lastDeletion = null;
			}
		}
	}

	boolean isOwn(KeyChange<Bytes> change) {
		Boolean deletion = this.versions.get(change.version());
		return deletion != null && deletion == (change.operation() == Operation.DELETE);
	}

	/** The version of our latest deletion, unless it was seen. */
	@Nullable Version lastDeletion() {
		return this.lastDeletion;
	}

	/** A deletion up to now explains nothing that is found out later. */
	void forgetLastDeletion() {
		this.lastDeletion = null;
	}

	/** The largest id of all writes, at least 0. */
	long lastStarted() {
		return this.lastStarted;
	}

	/** Whether every write up to this id is over. */
	boolean isSettled(long id) {
		return this.pending.isEmpty() || this.pending.first() > id;
	}

}
