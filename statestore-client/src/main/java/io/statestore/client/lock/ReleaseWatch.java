package io.statestore.client.lock;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Observation of a lock by a waiter. Decides whether a notification that arrives during a
 * request is newer than the reply. Confined to the events of its acquisition.
 */
final class ReleaseWatch {

	private final Claim claim;

	private final SerialEvents events;

	private final Listener listener;

	private LockStore.@Nullable Watch watch;

	/** Whether the latest notification showed another holder. */
	private boolean held;

	private boolean requesting;

	/** Whether the observation began during the request in flight. */
	private boolean startedMeanwhile;

	/** Release that was notified during the request in flight. */
	private @Nullable KeyChange<Bytes> releasedMeanwhile;

	ReleaseWatch(Claim claim, SerialEvents events, Listener listener) {
		this.claim = claim;
		this.events = events;
		this.listener = listener;
	}

	void open() {
		if (this.watch == null) {
			this.watch = this.claim.store().watch(new LockStore.Watcher() {

				@Override
				public void started() {
					ReleaseWatch.this.events.submit(ReleaseWatch.this::started);
				}

				@Override
				public void changed(KeyChange<Bytes> change) {
					ReleaseWatch.this.events.submit(() -> ReleaseWatch.this.changed(change));
				}

			});
		}
	}

	boolean isOpen() {
		return this.watch != null;
	}

	/** Whether changes arrive at this moment. */
	boolean isActive() {
		return this.watch != null && this.watch.isActive();
	}

	void close() {
		LockStore.Watch watch = this.watch;
		if (watch != null) {
			this.watch = null;
			watch.close();
		}
	}

	void requestSent() {
		this.requesting = true;
		this.startedMeanwhile = false;
		this.releasedMeanwhile = null;
	}

	void requestEnded() {
		this.requesting = false;
	}

	/**
	 * Whether the lock may have been released after the store replied that it is held.
	 * @param stored version in the reply
	 */
	boolean isOutdated(Version stored) {
		KeyChange<Bytes> released = this.releasedMeanwhile;
		return this.startedMeanwhile
				|| released != null && (released.resynchronised() || released.version().compareTo(stored) > 0);
	}

	/**
	 * Handles the beginning of the observation. Earlier changes were not notified, but if
	 * another holder has the lock now, its release will be.
	 */
	private void started() {
		if (this.held) {
			notifyHeld();
		}
		else if (this.requesting) {
			this.startedMeanwhile = true;
		}
		else {
			this.listener.perhapsFree();
		}
	}

	private void changed(KeyChange<Bytes> change) {
		this.held = change.operation() == Operation.SET && !this.claim.holder().equals(change.value());
		if (change.operation() == Operation.SET) {
			notifyHeld();
		}
		else if (this.requesting) {
			this.releasedMeanwhile = change;
		}
		else {
			this.listener.released();
		}
	}

	private void notifyHeld() {
		if (!this.requesting) {
			this.listener.stillHeld();
		}
	}

	/** Receives events while no request is in flight. */
	interface Listener {

		/** The observation has begun, and the lock may be free. */
		void perhapsFree();

		/** The lock was released. */
		void released();

		/** A holder acquired or renewed the lock. */
		void stillHeld();

	}

}
