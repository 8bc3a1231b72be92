package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names of the files in a store's directory.
 *
 * @param directory the store's directory
 */
record StoreLayout(Path directory) {

	static final String STORE = "store";

	static final String LOCK = "lock";

	static final String FORCED = "forced";

	static final String LOG = "log";

	static final String SNAPSHOT = "snapshot";

	static final String HISTORY = "history";

	/**
	 * Suffix of files that are being written. Such files are deleted at the next start.
	 */
	static final String TEMPORARY = ".tmp";

	private static final Pattern SEGMENT_NAME = Pattern.compile("0[0-8]\\d{18}\\.log");

	static final Pattern SNAPSHOT_NAME = Pattern.compile("0[0-8]\\d{18}\\.snapshot");

	/** Returns the file with the store's identity. */
	Path store() {
		return this.directory.resolve(STORE);
	}

	Path lock() {
		return this.directory.resolve(LOCK);
	}

	/** Returns the file that names the last forced entry. */
	Path forced() {
		return this.directory.resolve(FORCED);
	}

	/** Returns the file that names the last removed entry. */
	Path start() {
		return this.directory.resolve("start");
	}

	Path log() {
		return this.directory.resolve(LOG);
	}

	Path snapshots() {
		return this.directory.resolve(SNAPSHOT);
	}

	/**
	 * Returns the directory for segments and snapshots that the log no longer needs.
	 */
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

	/** Returns the log's segments, ordered by index. */
	List<Path> segments(Disk disk) throws IOException {
		return disk.exists(log()) ? disk.list(log()).stream().filter(StoreLayout::isSegment).toList() : List.of();
	}

	static boolean isSegment(Path file) {
		return SEGMENT_NAME.matcher(file.getFileName().toString()).matches();
	}

	/** Returns the index with which a file name begins. */
	static long index(Path file) {
		return Long.parseLong(file.getFileName().toString().substring(0, 20));
	}

	static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + TEMPORARY);
	}

}
