package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.List;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * All listeners attached to one key, and the local writes that some of them ignore. Not
 * thread-safe.
 */
final class AttachedListeners {

	private final List<AttachedListener> listeners = new ArrayList<>();

	private final LocalWrites localWrites = new LocalWrites();

	void add(AttachedListener listener) {
		this.listeners.add(listener);
	}

	void remove(AttachedListener listener) {
		this.listeners.remove(listener);
	}

	boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/** Reports to all listeners that the watch is active. */
	void started() {
		this.listeners.forEach(AttachedListener::started);
	}

	/** Passes a change on to all listeners. It is newer than all changes before it. */
	void changed(KeyChange<Bytes> change) {
		this.listeners.forEach((listener) -> listener.changed(change, this.localWrites));
	}

	/** Returns whether a listener is still waiting for the current value. */
	boolean isInitialPending() {
		return this.listeners.stream().anyMatch(AttachedListener::isInitialPending);
	}

	/**
	 * Passes the current value on to the listeners that are waiting for it.
	 * @param current {@code null} if the key is absent
	 */
	void initial(@Nullable KeyChange<Bytes> current) {
		this.listeners.stream()
			.filter(AttachedListener::isInitialPending)
			.forEach((listener) -> listener.initial(current));
	}

	/** Starts tracking a local write. */
	void localWriteStarted(long id) {
		this.localWrites.started(id);
	}

	/**
	 * Ends tracking a local write.
	 * @param version version of the change, or {@code null} if there was none or it is
	 * unknown
	 */
	void localWriteFinished(long id, @Nullable Version version, boolean deletion) {
		this.localWrites.finished(id, version, deletion);
		for (AttachedListener listener : this.listeners) {
			if (version != null) {
				listener.dropLocalWrites(this.localWrites);
			}
			listener.releaseSettled(this.localWrites);
		}
	}

	/** Removes local writes up to a version, whose changes no longer arrive. */
	void seen(@Nullable Version version) {
		this.localWrites.seen(version);
	}

	/** Removes and returns the version of the last local deletion not seen yet. */
	@Nullable Version removeLastDeletion() {
		return this.localWrites.removeLastDeletion();
	}

}
