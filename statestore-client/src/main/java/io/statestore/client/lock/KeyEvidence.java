package io.statestore.client.lock;

import java.util.Optional;

import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Tracks what is known about a held lock's key. A renewal would create an absent key, so
 * it may be sent only while the key is known to be unchanged.
 * <p>
 * The key is unchanged if it was watched without interruption since it was last seen with
 * the version of the latest confirmed grant. After an interruption, the key is read once
 * the watch is active again.
 * <p>
 * If the key cannot be watched, it is read before every renewal. A deletion between this
 * read and the renewal goes unnoticed. This window is one round trip, or up to the
 * renewal timeout if the connection is lost in between.
 * <p>
 * Not thread-safe. Only tracks state: the lease reads and watches the key.
 */
final class KeyEvidence {

	private final Bytes holder;

	/** Version that the acquisition gave the key. */
	private final Version acquired;

	/**
	 * Latest state of the watch, {@code null} if the key is not watched. INTERRUPTED
	 * until the watch becomes active for the first time.
	 */
	private @Nullable State watch;

	/** Version of the key after the latest confirmed grant. */
	private Version confirmed;

	/**
	 * Version in the watch's latest notification of this holder, {@code null} before the
	 * first notification.
	 */
	private @Nullable Version seen;

	private boolean unchanged;

	/**
	 * Whether the watch reported an ambiguous change, so that the key must be read again.
	 */
	private boolean ambiguous;

	KeyEvidence(Bytes holder, Version acquired) {
		this.holder = holder;
		this.acquired = acquired;
		this.confirmed = acquired;
	}

	boolean isWatched() {
		return this.watch != null;
	}

	/**
	 * Returns whether reading the key is useful: either the watch reports all later
	 * changes, or the key cannot be watched.
	 * @param required whether to read a key that cannot be watched
	 */
	boolean isReadable(boolean required) {
		return this.watch == State.ACTIVE || (this.watch == State.REFUSED && required);
	}

	/** Returns whether the key is known to be unchanged, so that it may be renewed. */
	boolean isUnchanged() {
		return this.unchanged && !this.ambiguous;
	}

	/** Records the watch's state. Changes before this may have been missed. */
	void watched(State state) {
		this.watch = state;
		this.ambiguous = false;
		this.unchanged = state == State.ACTIVE && this.confirmed.equals(this.seen);
	}

	void confirmed(Version version) {
		this.confirmed = version;
	}

	/**
	 * Records that a renewal relied on the key being unchanged. If the key cannot be
	 * watched, it must be read again before the next renewal.
	 */
	void used() {
		this.unchanged &= this.watch != State.REFUSED;
	}

	/**
	 * Records a change of the key.
	 * @return why the lock is lost, {@code null} if the change does not show a loss
	 */
	@Nullable Reason changed(KeyChange<Bytes> change) {
		if (this.holder.equals(change.value())) {
			holderSeen(change.version(), change.resynchronized());
			return null;
		}
		boolean deleted = change.operation() == Operation.DELETE;
		// A deletion found by a read does not have its own version, so it may precede the
		// acquisition.
		if (change.version().compareTo(this.acquired) > 0 && !(deleted && change.resynchronized())) {
			return deleted ? Reason.DELETED : Reason.TAKEN;
		}
		if (change.resynchronized()) {
			this.seen = null;
			this.ambiguous = this.watch == State.ACTIVE;
		}
		return null;
	}

	private void holderSeen(Version version, boolean resynchronized) {
		this.seen = version;
		if (this.unchanged && version.compareTo(this.confirmed) > 0) {
			if (resynchronized) {
				this.ambiguous = true;
			}
			else {
				// This is a renewal whose reply is late or was lost in transit.
				this.confirmed = version;
			}
		}
	}

	void reading() {
		this.unchanged = false;
		this.ambiguous = false;
	}

	/**
	 * Records the result of a read.
	 * @return why the lock is lost, {@code null} if it is still held
	 */
	@Nullable Reason read(Optional<Entry<Bytes>> entry) {
		Reason lost = loss(entry);
		if (lost != null) {
			return lost;
		}
		if (!this.confirmed.equals(entry.map(Entry::version).orElse(null))) {
			return Reason.UNCERTAIN;
		}
		if (this.seen != null && this.seen.compareTo(this.confirmed) > 0 && !this.ambiguous) {
			// The read's result preceded a renewal that the watch has already reported.
			this.confirmed = this.seen;
		}
		this.unchanged = true;
		return null;
	}

	/**
	 * Returns why a read shows that the lock is lost, {@code null} if the key still names
	 * this holder.
	 */
	@Nullable Reason loss(Optional<Entry<Bytes>> entry) {
		if (entry.isEmpty()) {
			return Reason.DELETED;
		}
		return this.holder.equals(entry.get().value()) ? null : Reason.TAKEN;
	}

}
