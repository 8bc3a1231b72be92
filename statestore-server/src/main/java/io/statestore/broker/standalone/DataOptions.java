package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the data directory. The broker and the gateway share them. */
final class DataOptions {

	@Option(names = "--data-directory", paramLabel = "<directory>",
			description = "Directory for the data. Created if it does not exist (default: data is kept only in memory)")
	private @Nullable Path directory;

	@Option(names = "--fsync", paramLabel = "<policy>",
			description = "When writes are forced to disk: always before their reply, once per interval, or never "
					+ "(default: always)")
	private @Nullable Fsync fsync;

	@Option(names = "--fsync-interval", paramLabel = "<time>", converter = DurationConverter.class,
			description = "How often --fsync interval forces writes to disk, such as 500ms or 2s (default: 1s)")
	private @Nullable Duration fsyncInterval;

	@Option(names = "--persist", paramLabel = "<keys>",
			description = "Which keys survive a restart: all, or only requested keys, which were set with a request to "
					+ "persist them (default: all)")
	private @Nullable Persist persist;

	@Option(names = "--history-retention", paramLabel = "<time>", converter = DurationConverter.class,
			description = "Keep a history of all changes for at least this time, such as 7d, unless --history-size is "
					+ "reached (default: no history, or no time limit with --history-size)")
	private @Nullable Duration historyRetention;

	@Option(names = "--history-size", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Keep a history of all changes up to this size, such as 10G (default: no history, or no size "
					+ "limit with --history-retention)")
	private @Nullable Long historySize;

	/**
	 * Passes the options to a builder method if there is a directory.
	 * @param storage builder method that receives the options
	 * @throws InvalidOptionException if the interval is out of range
	 * @throws IllegalArgumentException if another option is set without a directory, the
	 * directory is blank, or a history limit is out of range
	 */
	void apply(Function<StorageOptions, ?> storage) {
		if (this.directory == null) {
			ServerCommand.refuse(
					"""
							%1$s requires a directory for the data; add --data-directory <directory>, or omit %1$s to keep the data in \
							memory""",
					"--fsync", this.fsync, "--fsync-interval", this.fsyncInterval, "--persist", this.persist,
					"--history-retention", this.historyRetention, "--history-size", this.historySize);
			return;
		}
		if (this.directory.toString().isBlank()) {
			throw new IllegalArgumentException(
					"--data-directory must be a directory; omit it to keep the data in memory");
		}
		StorageOptions options = StorageOptions.in(this.directory.toAbsolutePath().normalize());
		options = LimitOptions.with(options, this.fsync, StorageOptions::withFsync);
		options = LimitOptions.with(options, this.fsyncInterval, StorageOptions::withFsyncInterval);
		options = LimitOptions.with(options, this.persist, StorageOptions::withPersist);
		storage.apply(options.withHistory(history()));
	}

	/**
	 * Returns how much of the history to keep.
	 * @return the limits, {@code null} to not keep a history
	 * @throws IllegalArgumentException if a limit is out of range
	 */
	@Nullable HistoryRetention history() {
		try {
			return HistoryRetention.ofLimits(this.historyRetention, this.historySize);
		}
		catch (InvalidOptionException ex) {
			throw new IllegalArgumentException(
					ex.message((name) -> name.equals("time") ? "--history-retention" : "--history-size"), ex);
		}
	}

	/**
	 * Returns the directory for a cluster node.
	 * @throws IllegalArgumentException if there is none, or another option does not apply
	 * to a cluster
	 */
	Path directoryOfNode() {
		if (this.directory == null || this.directory.toString().isBlank()) {
			throw new IllegalArgumentException(
					"--node requires a directory for the data of this node; add --data-directory <directory>");
		}
		if ((this.fsync != null && this.fsync != Fsync.ALWAYS) || this.fsyncInterval != null) {
			throw new IllegalArgumentException("The nodes of a cluster force every write to the disk; omit "
					+ ((this.fsync != null) ? "--fsync" : "--fsync-interval"));
		}
		if (this.persist != null && this.persist != Persist.ALL) {
			throw new IllegalArgumentException("A cluster keeps all keys; omit --persist");
		}
		return this.directory.toAbsolutePath().normalize();
	}

	/** Returns where the data is stored, for the log. */
	String location() {
		return (this.directory != null) ? "data in " + this.directory.toAbsolutePath().normalize()
				: "data in memory only";
	}

}
