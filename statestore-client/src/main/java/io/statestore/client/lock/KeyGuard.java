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
 * Finds out whether the key of a held lock is unchanged. A renewal creates an absent key,
 * so it may only be sent while that is known.
 * <p>
 * The key is unchanged if it was observed without interruption since it was last seen
 * with the version of a confirmed grant. After an interruption the key is read once the
 * observation is in place again. If the key cannot be observed, it is read before every
 * renewal. A deletion between this read and the renewal stays unnoticed: one round trip,
 * or up to the renewal timeout if the connection is lost in between. Not thread-safe: an
 * event of the lease at a time.
 */
final class KeyGuard {

	/** Where the check of the key stands. */
	enum Phase {

		/** Neither observed nor being checked. */
		IDLE,

		/** The observation is to begin, or to resume after an interruption. */
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

	/** Receives the findings, as events of the lease. */
	interface Listener {

		/** Runs an event after the present one. */
		void submit(Runnable event);

		/** Returns how the lock is held at present. */
		LockTerms terms();

		/** Returns whether a renewal is in flight. */
		boolean isRenewing();

		/** Called when the key is known to be unchanged. */
		void unchanged();

		/** Called when changes may be missed from now on. */
		void interrupted();

		/** Called when the key could not be read; a retry follows. */
		void checkFailed(StateStoreException failure);

		/** Called when the key is no longer that of the tenure. */
		void lost(Reason reason);

	}

	private final HeldKey held;

	private final Listener listener;

	private Phase phase = Phase.IDLE;

	/** Version of the key after the latest confirmed grant. */
	private Version confirmed;

	/** Version with which this holder was observed last, {@code null} if it was not. */
	private @Nullable Version seen;

	/** Whether something was observed that only another read can explain. */
	private boolean suspect;

	private boolean unobservable;

	/** Whether the outcome of a check is awaited, beyond the observation itself. */
	private boolean checkWanted;

	/** Number of the latest read. Results of earlier ones are ignored. */
	private int reading;

	private LockStore.@Nullable Watch watch;

	private Runnable cancelRetry = () -> {
	};

	KeyGuard(HeldKey held, Listener listener) {
		this.held = held;
		this.listener = listener;
		this.confirmed = held.token().version();
	}

	/** Returns whether a renewal may be sent. */
	boolean isUnchanged() {
		return this.phase == Phase.UNCHANGED && !this.suspect;
	}

	/** Observes the key from now on. */
	void observe() {
		if (this.watch == null && this.phase == Phase.IDLE) {
			this.phase = Phase.REGISTERING;
			this.watch = this.held.store().watch(new Watcher());
		}
	}

	/** Begins a check unless one is under way. Its result is passed to the listener. */
	void check() {
		this.checkWanted = true;
		if (this.watch == null) {
			observe();
		}
		else if (this.phase == Phase.IDLE) {
			read();
		}
	}

	/** Records the version of a renewal that the store has confirmed. */
	void confirmed(Version version) {
		this.confirmed = version;
	}

	/** Continues a check that had to wait for the renewal in flight. */
	void renewalEnded() {
		if (this.suspect && this.phase == Phase.UNCHANGED) {
			this.suspect = false;
			read();
		}
	}

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

	private void observed() {
		if (this.phase == Phase.CLOSED) {
			return;
		}
		this.unobservable = false;
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
		this.suspect = false;
		this.phase = Phase.REGISTERING;
		this.listener.interrupted();
	}

	private void refused() {
		if (this.phase == Phase.REGISTERING) {
			this.unobservable = true;
			this.phase = Phase.IDLE;
			if (this.checkWanted) {
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
			renewed(change);
		}
		else if (change.version().compareTo(this.held.token().version()) > 0 && !(deleted && change.resynchronised())) {
			this.listener.lost(deleted ? Reason.DELETED : Reason.TAKEN);
		}
		else if (change.resynchronised()) {
			// A deletion that was not notified has no version of its own, so it may be
			// older than the acquisition.
			this.seen = null;
			suspect();
		}
	}

	private void renewed(KeyChange<Bytes> change) {
		this.seen = change.version();
		if (this.phase == Phase.UNCHANGED && change.version().compareTo(this.confirmed) > 0) {
			if (change.resynchronised()) {
				suspect();
			}
			else {
				// A renewal whose reply is late or lost.
				this.confirmed = change.version();
			}
		}
	}

	private void suspect() {
		if (this.phase == Phase.UNCHANGED && !this.listener.isRenewing()) {
			read();
		}
		else if (this.phase == Phase.UNCHANGED || this.phase == Phase.READING) {
			this.suspect = true;
		}
	}

	private void read() {
		this.cancelRetry.run();
		this.phase = Phase.READING;
		int number = ++this.reading;
		this.held.store()
			.read(this.listener.terms().renewalTimeout(),
					(entry, failure) -> this.listener.submit(() -> read(number, entry, failure)));
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
		else if (this.suspect) {
			this.suspect = false;
			read();
		}
		else {
			if (this.seen != null && this.seen.compareTo(this.confirmed) > 0) {
				// Notified after the read.
				this.confirmed = this.seen;
			}
			unchanged();
		}
	}

	private void retry() {
		this.phase = Phase.RETRYING;
		Duration pause = this.listener.terms().renewalRetry();
		this.cancelRetry = this.held.time().schedule(pause, () -> this.listener.submit(() -> {
			if (this.phase == Phase.RETRYING) {
				read();
			}
		}));
	}

	private void unchanged() {
		this.checkWanted = false;
		this.phase = this.unobservable ? Phase.IDLE : Phase.UNCHANGED;
		this.listener.unchanged();
	}

	/** Passes the events of the observation on. */
	private final class Watcher implements LockStore.Watcher {

		@Override
		public void started() {
			KeyGuard.this.listener.submit(KeyGuard.this::observed);
		}

		@Override
		public void resumed() {
			KeyGuard.this.listener.submit(KeyGuard.this::observed);
		}

		@Override
		public void interrupted() {
			KeyGuard.this.listener.submit(KeyGuard.this::interrupted);
		}

		@Override
		public void refused() {
			KeyGuard.this.listener.submit(KeyGuard.this::refused);
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			KeyGuard.this.listener.submit(() -> KeyGuard.this.changed(change));
		}

	}

}
