package io.statestore.client.cache;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key's value in a {@link NearCache}. Only the key's watch writes the value, so its
 * versions have the watch's order. The value can be read if the watch is active, the
 * value is not older than any version known to this process, and its expiry deadline has
 * not passed. Thread-safe.
 */
final class NearEntry {

	/** Whether the watch is starting: it has not started, failed, or been closed. */
	private final AtomicBoolean starting = new AtomicBoolean(true);

	private final Key key;

	private final NearExpiry expiry;

	private final Function<Bytes, Object> converter;

	private final Runnable onStartEnded;

	/** Value that reads return, {@code null} if it must be read from the store. */
	private volatile @Nullable NearValue readable;

	/** Whether the value was read since it was last considered for eviction. */
	private volatile boolean used = true;

	/** Latest value from the watch, {@code null} if the key is absent or not read yet. */
	private @Nullable NearValue current;

	/**
	 * Oldest version that can be read; {@code null} after an interruption, because the
	 * store may have lost data.
	 */
	private @Nullable Version floor;

	/** Expiry deadline of the local write whose version is {@link #floor}, if any. */
	private @Nullable Long floorDeadline;

	private boolean active;

	private boolean closed;

	private @Nullable KeyWatch watch;

	/**
	 * Creates an entry without a value.
	 * @param seen version that this process has found in the store
	 * @param converter converts the stored value on its first read
	 * @param onStartEnded called once, when the watch is no longer starting
	 */
	NearEntry(Key key, Version seen, NearExpiry expiry, Function<Bytes, Object> converter, Runnable onStartEnded) {
		this.key = key;
		this.floor = seen;
		this.expiry = expiry;
		this.converter = converter;
		this.onStartEnded = onStartEnded;
	}

	Key key() {
		return this.key;
	}

	/** Returns the value, or {@code null} if it must be read from the store. */
	@Nullable Object read() {
		NearValue value = this.readable;
		if (value == null || this.expiry.isOver(value.deadline)) {
			return null;
		}
		if (!this.used) {
			this.used = true;
		}
		return value.converted(this.converter);
	}

	/** Returns whether the value was read since the last call of this method. */
	boolean takeUsed() {
		boolean used = this.used;
		this.used = false;
		return used;
	}

	boolean isStarting() {
		return this.starting.get();
	}

	/** Marks the watch as no longer starting. */
	void endStart() {
		if (this.starting.getAndSet(false)) {
			this.onStartEnded.run();
		}
	}

	/** Returns whether the expiry deadline has passed, but no deletion has arrived. */
	boolean isOverdue() {
		NearValue value = this.readable;
		return value != null && this.expiry.isOver(value.deadline);
	}

	/** Sets the watch. Closes it if this entry is already closed. */
	void watchedBy(KeyWatch watch) {
		boolean close;
		synchronized (this) {
			close = this.closed;
			this.watch = watch;
		}
		if (close) {
			watch.close();
		}
	}

	/** Handles a change from the watch, which delivers changes in version order. */
	void changed(KeyChange<Bytes> change) {
		Bytes value = change.value();
		synchronized (this) {
			this.current = (value != null) ? new NearValue(value, change.version(), deadline(change.version())) : null;
			publish();
		}
	}

	private long deadline(Version version) {
		Long local = this.floorDeadline;
		return (local != null && version.equals(this.floor)) ? local : this.expiry.deadline();
	}

	/** Handles a new state of the watch. */
	synchronized void entered(KeyWatch.State state) {
		endStart();
		this.active = state == KeyWatch.State.ACTIVE;
		if (state == KeyWatch.State.INTERRUPTED) {
			// The watch reads the key again before it becomes active.
			this.floor = null;
		}
		publish();
	}

	/**
	 * Handles a version found in the store. From then on, reads do not return older
	 * values.
	 */
	void found(Version version) {
		written(version, null);
	}

	/**
	 * Handles a completed local write. From then on, reads do not return older values.
	 * @param deadline the value's expiry deadline, computed before the write was sent;
	 * {@code null} for a deletion
	 */
	synchronized void written(Version version, @Nullable Long deadline) {
		if (isBelow(this.floor, version)) {
			this.floor = version;
			this.floorDeadline = deadline;
		}
		NearValue current = this.current;
		if (deadline != null && current != null && current.version.equals(version)) {
			this.current = new NearValue(current.bytes, version, deadline);
		}
		publish();
	}

	private void publish() {
		NearValue current = this.current;
		boolean readable = this.active && !this.closed && current != null && !isBelow(current.version, this.floor);
		this.readable = readable ? current : null;
	}

	private static boolean isBelow(@Nullable Version version, @Nullable Version bound) {
		return bound != null && (version == null || version.compareTo(bound) < 0);
	}

	/** Closes the watch. The value can no longer be read. */
	void close() {
		endStart();
		KeyWatch watch;
		synchronized (this) {
			this.closed = true;
			watch = this.watch;
			publish();
		}
		if (watch != null) {
			watch.close();
		}
	}

	/** Stored value, which is converted only once. */
	private static final class NearValue {

		private final Bytes bytes;

		private final Version version;

		private final long deadline;

		private volatile @Nullable Object converted;

		private NearValue(Bytes bytes, Version version, long deadline) {
			this.bytes = bytes;
			this.version = version;
			this.deadline = deadline;
		}

		private Object converted(Function<Bytes, Object> converter) {
			Object value = this.converted;
			if (value == null) {
				value = converter.apply(this.bytes);
				this.converted = value;
			}
			return value;
		}

	}

}
