package io.statestore.client.lock;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Watch of a lock by a waiter. Decides whether a notification that arrives during a
 * request is newer than the reply. Not thread-safe: handles one event of the acquisition
 * at a time.
 */
final class ReleaseWatch {

	private final RequestedLock lock;

	private final SerialEvents events;

	private final Listener listener;

	private LockStore.@Nullable Watch watch;

	/** Whether the latest notification showed another holder. */
	private boolean held;

	/** Whether a request is in flight. */
	private boolean requesting;

	/** Whether the watch began during the request in flight. */
	private boolean startedMeanwhile;

	/** Latest release notified during the request in flight. */
	private @Nullable KeyChange<Bytes> releasedMeanwhile;

	ReleaseWatch(RequestedLock lock, SerialEvents events, Listener listener) {
		this.lock = lock;
		this.events = events;
		this.listener = listener;
	}

	/** Starts the watch unless it has started. */
	void open() {
		if (this.watch == null) {
			this.watch = this.lock.store().watch(new LockStore.Watcher() {

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

	/** Returns whether changes are currently notified. */
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

	/** Prepares for a request, during which no events are reported. */
	void requestSent() {
		this.requesting = true;
		this.startedMeanwhile = false;
		this.releasedMeanwhile = null;
	}

	void requestEnded() {
		this.requesting = false;
	}

	/**
	 * Returns whether the lock may have been released after the store replied that it is
	 * held.
	 * @param stored version of the key in the reply
	 */
	boolean isOutdated(Version stored) {
		KeyChange<Bytes> released = this.releasedMeanwhile;
		return this.startedMeanwhile
				|| released != null && (released.resynchronized() || released.version().compareTo(stored) > 0);
	}

	/**
	 * Handles the start of the watch. Earlier changes were not notified, so the lock may
	 * be free unless the watch has shown another holder.
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
		this.held = change.operation() == Operation.SET && !this.lock.holder().equals(change.value());
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

		/** Called when the watch has started and the lock may be free. */
		void perhapsFree();

		/** Called when the lock was released. */
		void released();

		/** Called when a holder acquired or renewed the lock. */
		void stillHeld();

	}

}
