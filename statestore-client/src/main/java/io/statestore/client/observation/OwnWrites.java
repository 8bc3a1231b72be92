package io.statestore.client.observation;

import java.util.TreeSet;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The writes of this client to one key: those without a reply, and their versions. */
final class OwnWrites {

	/** More are not remembered; the oldest go first. */
	static final int MAX_VERSIONS = 1024;

	private final TreeSet<Long> pending = new TreeSet<>();

	/** Of changes that have not been seen yet. */
	private final TreeSet<Version> versions = new TreeSet<>();

	private @Nullable Version lastDeletion;

	private long lastStarted;

	/** A write is about to be sent. */
	void started(long id) {
		this.pending.add(id);
		this.lastStarted = Math.max(this.lastStarted, id);
	}

	/**
	 * A write is over.
	 * @param version of the change it made, {@code null} if it made none or nobody knows
	 */
	void finished(long id, @Nullable Version version, boolean deletion) {
		this.pending.remove(id);
		if (version == null) {
			return;
		}
		this.versions.add(version);
		if (this.versions.size() > MAX_VERSIONS) {
			this.versions.pollFirst();
		}
		if (deletion && (this.lastDeletion == null || this.lastDeletion.compareTo(version) < 0)) {
			this.lastDeletion = version;
		}
	}

	/** The version of a change was seen: older ones will not come any more. */
	void seen(@Nullable Version version) {
		if (version != null) {
			this.versions.headSet(version, true).clear();
		}
	}

	boolean isOwn(Version version) {
		return this.versions.contains(version);
	}

	/** The version of the latest deletion that is known to be ours. */
	@Nullable Version lastDeletion() {
		return this.lastDeletion;
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
