package io.statestore.broker.storage;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Options for a store that keeps its data in a directory. Immutable. Create them with
 * {@link #in(Path)}.
 *
 * @param directory the directory, created if it does not exist. Only one store at a time
 * may use it
 * @param fsync when the store waits for the disk
 * @param fsyncInterval the interval for {@link Fsync#INTERVAL}, 1 ms to 1 h
 * @param persist which keys survive a restart
 * @param history how much history to keep, or {@code null} to keep none
 */
public record StorageOptions(Path directory, Fsync fsync, Duration fsyncInterval, Persist persist,
		@Nullable HistoryRetention history) {

	private static final Duration MIN_INTERVAL = Duration.ofMillis(1);

	private static final Duration MAX_INTERVAL = Duration.ofHours(1);

	/**
	 * Creates options.
	 * @throws InvalidOptionException if the interval is out of range
	 */
	public StorageOptions {
		Objects.requireNonNull(directory, "'directory' must not be null");
		Objects.requireNonNull(fsync, "'fsync' must not be null");
		Objects.requireNonNull(persist, "'persist' must not be null");
		if (fsyncInterval.compareTo(MIN_INTERVAL) < 0 || fsyncInterval.compareTo(MAX_INTERVAL) > 0) {
			throw new InvalidOptionException("fsyncInterval", fsyncInterval, "must be 1 ms to 1 h");
		}
	}

	/**
	 * Returns the default options for a directory: every write waits for the disk, and
	 * all keys survive.
	 * @param directory the directory, created if it does not exist
	 * @return options with default settings
	 */
	public static StorageOptions in(Path directory) {
		return new StorageOptions(directory, Fsync.ALWAYS, Duration.ofSeconds(1), Persist.ALL, null);
	}

	/**
	 * Returns a copy with a different policy for forcing writes to disk.
	 * @param fsync when the store waits for the disk
	 * @return new options
	 */
	public StorageOptions withFsync(Fsync fsync) {
		return new StorageOptions(this.directory, fsync, this.fsyncInterval, this.persist, this.history);
	}

	/**
	 * Returns a copy with a different fsync interval.
	 * @param fsyncInterval the interval for {@link Fsync#INTERVAL}, 1 ms to 1 h
	 * @return new options
	 * @throws InvalidOptionException if the interval is out of range
	 */
	public StorageOptions withFsyncInterval(Duration fsyncInterval) {
		return new StorageOptions(this.directory, this.fsync, fsyncInterval, this.persist, this.history);
	}

	/**
	 * Returns a copy with a different selection of surviving keys.
	 * @param persist which keys survive a restart
	 * @return new options
	 */
	public StorageOptions withPersist(Persist persist) {
		return new StorageOptions(this.directory, this.fsync, this.fsyncInterval, persist, this.history);
	}

	/**
	 * Returns a copy that keeps a history.
	 * @param history how much history to keep, or {@code null} to keep none
	 * @return new options
	 */
	public StorageOptions withHistory(@Nullable HistoryRetention history) {
		return new StorageOptions(this.directory, this.fsync, this.fsyncInterval, this.persist, history);
	}

}
