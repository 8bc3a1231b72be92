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
 * What is known about the key of a held lock. A renewal would create an absent key, so it
 * may only be sent while the key is known to be unchanged.
 * <p>
 * The key is unchanged if it was watched without interruption since it was last seen with
 * the version of a confirmed grant. After an interruption the key is read once the watch
 * is active again.
 * <p>
 * If the key cannot be watched, it is read before every renewal. A deletion between this
 * read and the renewal stays unnoticed. That takes one round trip, or up to the renewal
 * timeout if the connection is lost in between.
 * <p>
 * Not thread-safe. Has no effects of its own: the lease reads and watches the key.
 */
final class KeyEvidence {

	private final Bytes holder;

	/** Version of the acquisition. */
	private final Version acquired;

	/**
	 * Latest state of the watch, {@code null} if the key is not watched. INTERRUPTED also
	 * before the watch is active for the first time.
	 */
	private @Nullable State watch;

	/** Version of the key after the latest confirmed grant. */
	private Version confirmed;

	/** Version with which this holder was last watched, {@code null} before that. */
	private @Nullable Version seen;

	private boolean unchanged;

	/** Whether an ambiguous change was watched, so that the key must be read again. */
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
	 * Returns whether a read shows the present state of the key: later changes will be
	 * notified, or the key cannot be watched.
	 * @param required whether to read a key that cannot be watched
	 */
	boolean isReadable(boolean required) {
		return this.watch == State.ACTIVE || (this.watch == State.REFUSED && required);
	}

	/** Returns whether the key is known to be unchanged, so that it may be renewed. */
	boolean isUnchanged() {
		return this.unchanged && !this.ambiguous;
	}

	/** Records the state of the watch. Changes before it may have been missed. */
	void watched(State state) {
		this.watch = state;
		this.ambiguous = false;
		this.unchanged = state == State.ACTIVE && this.confirmed.equals(this.seen);
	}

	/** Records the version of a renewal that the store has confirmed. */
	void confirmed(Version version) {
		this.confirmed = version;
	}

	/** Records that a step relied on the key, which must be read again if unwatched. */
	void used() {
		this.unchanged &= this.watch != State.REFUSED;
	}

	/**
	 * Records a change of the key.
	 * @return reason of a loss, {@code null} if the change shows none
	 */
	@Nullable Reason changed(KeyChange<Bytes> change) {
		if (this.holder.equals(change.value())) {
			holderSeen(change.version(), change.resynchronized());
			return null;
		}
		boolean deleted = change.operation() == Operation.DELETE;
		// A deletion found by a read has no version of its own, so it may precede the
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
				// A renewal whose reply is late or lost in transit.
				this.confirmed = version;
			}
		}
	}

	/** Records that the key is about to be read. */
	void reading() {
		this.unchanged = false;
		this.ambiguous = false;
	}

	/**
	 * Records the result of a read.
	 * @return reason of a loss, {@code null} if the key still has the holder
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
			// A renewal that was notified after the read.
			this.confirmed = this.seen;
		}
		this.unchanged = true;
		return null;
	}

	/** Returns the loss that a read shows, {@code null} if the key has the holder. */
	@Nullable Reason loss(Optional<Entry<Bytes>> entry) {
		if (entry.isEmpty()) {
			return Reason.DELETED;
		}
		return this.holder.equals(entry.get().value()) ? null : Reason.TAKEN;
	}

}
