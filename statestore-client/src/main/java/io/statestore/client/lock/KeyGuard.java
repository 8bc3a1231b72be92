package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether the key of a held lock is unchanged. A renewal would create an
 * absent key, so it may only be sent while the key is known to be unchanged.
 * <p>
 * The key is unchanged if it was watched without interruption since it was last seen with
 * the version of a confirmed grant. After an interruption the key is read once the watch
 * is in place again.
 * <p>
 * If the key cannot be watched, it is read before every renewal. A deletion between this
 * read and the renewal stays unnoticed. That takes one round trip, or up to the renewal
 * timeout if the connection is lost in between.
 * <p>
 * Not thread-safe. Must only be called from events of the lease, which run one at a time.
 */
final class KeyGuard {

	enum Phase {

		/** The key is neither watched nor being checked. */
		IDLE,

		/** The watch has not begun yet, or is interrupted. */
		REGISTERING,

		/** GET is in flight. */
		READING,

		/** GET failed, and a retry is scheduled. */
		RETRYING,

		/** The key is unchanged, and every change will be notified. */
		UNCHANGED,

		/** The tenure has ended. */
		CLOSED

	}

	private final HeldLock held;

	private final SerialEvents events;

	private final Listener listener;

	private Phase phase = Phase.IDLE;

	/** Version of the key after the latest confirmed grant. */
	private Version confirmed;

	/** Version with which this holder was last watched, {@code null} before that. */
	private @Nullable Version seen;

	/** Whether an ambiguous change was watched, so that the key must be read again. */
	private boolean ambiguous;

	/** Whether the watch was refused. */
	private boolean unwatchable;

	/** Whether a check was requested and has no result yet. */
	private boolean checkRequested;

	/** Number of the latest read. Results of earlier ones are ignored. */
	private int reading;

	private LockStore.@Nullable Watch watch;

	private Runnable cancelRetry = () -> {
	};

	KeyGuard(HeldLock held, SerialEvents events, Listener listener) {
		this.held = held;
		this.events = events;
		this.listener = listener;
		this.confirmed = held.token().version();
	}

	/** Returns whether the key is known to be unchanged, so that it may be renewed. */
	boolean isUnchanged() {
		return this.phase == Phase.UNCHANGED && !this.ambiguous;
	}

	/** Starts to watch the key, unless it is watched or being checked. */
	void watch() {
		if (this.watch == null && this.phase == Phase.IDLE) {
			this.phase = Phase.REGISTERING;
			this.watch = this.held.store().watch(new Watcher());
		}
	}

	/** Starts a check unless one is under way, and passes its result to the listener. */
	void check() {
		this.checkRequested = true;
		if (this.watch == null) {
			watch();
		}
		else if (this.phase == Phase.IDLE) {
			read();
		}
	}

	/** Records the version of a renewal that the store has confirmed. */
	void confirmed(Version version) {
		this.confirmed = version;
	}

	/** Starts the check that was waiting for the renewal in flight. */
	void renewalEnded() {
		if (this.ambiguous && this.phase == Phase.UNCHANGED) {
			this.ambiguous = false;
			read();
		}
	}

	/** Ends the watch and all checks. */
	void close() {
		this.phase = Phase.CLOSED;
		this.reading++;
		this.cancelRetry.run();
		LockStore.Watch watch = this.watch;
		this.watch = null;
		if (watch != null) {
			watch.close();
		}
	}

	private void watched() {
		if (this.phase == Phase.CLOSED) {
			return;
		}
		this.unwatchable = false;
		if (this.confirmed.equals(this.seen)) {
			unchanged();
		}
		else {
			read();
		}
	}

	private void interrupted() {
		if (this.phase == Phase.CLOSED) {
			return;
		}
		this.reading++;
		this.cancelRetry.run();
		this.ambiguous = false;
		this.phase = Phase.REGISTERING;
		this.listener.interrupted();
	}

	private void refused() {
		if (this.phase == Phase.REGISTERING) {
			this.unwatchable = true;
			this.phase = Phase.IDLE;
			if (this.checkRequested) {
				read();
			}
		}
	}

	private void changed(KeyChange<Bytes> change) {
		if (this.phase == Phase.CLOSED) {
			return;
		}
		boolean deleted = change.operation() == Operation.DELETE;
		if (this.held.holder().equals(change.value())) {
			holderSeen(change);
		}
		else if (change.version().compareTo(this.held.token().version()) > 0 && !(deleted && change.resynchronized())) {
			this.listener.lost(deleted ? Reason.DELETED : Reason.TAKEN);
		}
		else if (change.resynchronized()) {
			// A deletion found by a read has no version of its own, so it may precede the
			// acquisition.
			this.seen = null;
			readAgain();
		}
	}

	private void holderSeen(KeyChange<Bytes> change) {
		this.seen = change.version();
		if (this.phase == Phase.UNCHANGED && change.version().compareTo(this.confirmed) > 0) {
			if (change.resynchronized()) {
				readAgain();
			}
			else {
				// A renewal whose reply is late or lost in transit.
				this.confirmed = change.version();
			}
		}
	}

	/** Reads the key now, or after the renewal or the read in flight. */
	private void readAgain() {
		if (this.phase == Phase.UNCHANGED && !this.listener.isRenewing()) {
			read();
		}
		else if (this.phase == Phase.UNCHANGED || this.phase == Phase.READING) {
			this.ambiguous = true;
		}
	}

	private void read() {
		this.cancelRetry.run();
		this.phase = Phase.READING;
		int number = ++this.reading;
		this.held.store()
			.read(this.listener.terms().renewalTimeout(),
					(entry, failure) -> this.events.submit(() -> read(number, entry, failure)));
	}

	private void read(int number, @Nullable Optional<Entry<Bytes>> entry, @Nullable StateStoreException failure) {
		if (number != this.reading) {
			return;
		}
		if (entry == null) {
			retry();
			if (failure != null) {
				this.listener.checkFailed(failure);
			}
		}
		else if (entry.isEmpty()) {
			this.listener.lost(Reason.DELETED);
		}
		else if (!this.held.holder().equals(entry.get().value())) {
			this.listener.lost(Reason.TAKEN);
		}
		else if (!this.confirmed.equals(entry.get().version())) {
			this.listener.lost(Reason.UNCERTAIN);
		}
		else if (this.ambiguous) {
			this.ambiguous = false;
			read();
		}
		else {
			if (this.seen != null && this.seen.compareTo(this.confirmed) > 0) {
				// A renewal that was notified after the read.
				this.confirmed = this.seen;
			}
			unchanged();
		}
	}

	private void retry() {
		this.phase = Phase.RETRYING;
		Duration pause = this.listener.terms().renewalRetry();
		this.cancelRetry = this.held.time().schedule(pause, () -> this.events.submit(() -> {
			if (this.phase == Phase.RETRYING) {
				read();
			}
		}));
	}

	private void unchanged() {
		this.checkRequested = false;
		this.phase = this.unwatchable ? Phase.IDLE : Phase.UNCHANGED;
		this.listener.unchanged();
	}

	/** Turns the events of the watch into events of the lease. */
	private final class Watcher implements LockStore.Watcher {

		@Override
		public void started() {
			KeyGuard.this.events.submit(KeyGuard.this::watched);
		}

		@Override
		public void resumed() {
			KeyGuard.this.events.submit(KeyGuard.this::watched);
		}

		@Override
		public void interrupted() {
			KeyGuard.this.events.submit(KeyGuard.this::interrupted);
		}

		@Override
		public void refused() {
			KeyGuard.this.events.submit(KeyGuard.this::refused);
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			KeyGuard.this.events.submit(() -> KeyGuard.this.changed(change));
		}

	}

	/** Receives the results as events of the lease. */
	interface Listener {

		/** Returns the current terms of the lease. */
		LockTerms terms();

		/** Returns whether a renewal is in flight. */
		boolean isRenewing();

		/** Called when the key is known to be unchanged. */
		void unchanged();

		/** Called when changes may be missed from now on. */
		void interrupted();

		/** Called when the key could not be read. A retry follows. */
		void checkFailed(StateStoreException failure);

		/** Called when the key no longer belongs to the tenure. */
		void lost(Reason reason);

	}

}
