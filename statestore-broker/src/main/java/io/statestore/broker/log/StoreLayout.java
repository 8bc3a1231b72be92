package io.statestore.broker.log;

import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names of the files in the directory of a store.
 *
 * @param directory the directory
 */
record StoreLayout(Path directory) {

	static final String STORE = "store";

	static final String LOCK = "lock";

	static final String FORCED = "forced";

	static final String LOG = "log";

	static final String SNAPSHOT = "snapshot";

	static final String HISTORY = "history";

	/** Suffix of files that are being written. They are deleted at the next start. */
	static final String TEMPORARY = ".tmp";

	static final Pattern SEGMENT_NAME = Pattern.compile("0[0-8]\\d{18}\\.log");

	static final Pattern SNAPSHOT_NAME = Pattern.compile("0[0-8]\\d{18}\\.snapshot");

	/** Returns the file with the identity of the store. */
	Path store() {
		return this.directory.resolve(STORE);
	}

	Path lock() {
		return this.directory.resolve(LOCK);
	}

	/** Returns the file that names how much of the log is on the disk. */
	Path forced() {
		return this.directory.resolve(FORCED);
	}

	/** Returns the file that names the last entry that was removed. */
	Path start() {
		return this.directory.resolve("start");
	}

	Path log() {
		return this.directory.resolve(LOG);
	}

	Path snapshots() {
		return this.directory.resolve(SNAPSHOT);
	}

	/** Returns the directory of what the log no longer needs. */
	Path history() {
		return this.directory.resolve(HISTORY);
	}

	Path segment(long firstIndex) {
		return log().resolve(segmentName(firstIndex));
	}

	static String segmentName(long firstIndex) {
		return String.format(Locale.ROOT, "%020d.log", firstIndex);
	}

	Path snapshot(long index) {
		return snapshots().resolve(String.format(Locale.ROOT, "%020d.snapshot", index));
	}

	/** Returns the index in the name of a segment or a snapshot. */
	static long index(Path file) {
		return Long.parseLong(file.getFileName().toString().substring(0, 20));
	}

	static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + TEMPORARY);
	}

}
