package io.statestore.broker.security;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of one or more configuration files, such as a password file, which is read
 * again after a change. Files that belong together, such as a certificate and its key,
 * are parsed together.
 * <p>
 * If files become unreadable or invalid, the last valid content remains in use, and an
 * error in the log names the file and the reason. The error is repeated only if the
 * reason changes. An unreadable file is retried at each check. A file that has just been
 * modified may still be incomplete, so it is read once it has not changed for half a
 * second.
 * <p>
 * A shared thread checks the files every half second until this object is no longer
 * reachable, so callers must keep a reference to it. Thread-safe.
 * <p>
 * Internal: not part of the API.
 *
 * @param <T> type of the content
 */
final class WatchedFile<T> {

	/** Maximum size of a file, in bytes. */
	static final int MAX_SIZE = 16 * 1024 * 1024;

	/**
	 * Interval between checks. A file is only read if it has not changed since the
	 * previous check.
	 */
	private static final long INTERVAL_MILLIS = 500;

	private static final Logger logger = LoggerFactory.getLogger(WatchedFile.class);

	/**
	 * Checks all watched files of this JVM. Its thread ends a few seconds after the last
	 * file is no longer watched.
	 */
	static final ScheduledThreadPoolExecutor executor = newExecutor();

	private final List<Path> files;

	private final Parser<? extends T> parser;

	private final BiConsumer<T, T> changed;

	private volatile T current;

	/** State of the files from which {@link #current} or {@link #failure} resulted. */
	private List<Map<String, Object>> readStamps;

	/** State of the files at the last check. */
	private List<Map<String, Object>> lastStamps;

	/** Last reported reason for keeping the previous content. */
	private @Nullable String failure;

	private WatchedFile(List<Path> files, Parser<? extends T> parser, BiConsumer<T, T> changed) {
		this.files = List.copyOf(files);
		this.parser = parser;
		this.changed = changed;
		this.readStamps = stamps();
		this.lastStamps = this.readStamps;
		try {
			this.current = read();
		}
		catch (Exception ex) {
			throw new IllegalArgumentException(describe(ex), ex);
		}
	}

	private static ScheduledThreadPoolExecutor newExecutor() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-watched-files");
			thread.setDaemon(true);
			thread.setContextClassLoader(null);
			return thread;
		});
		executor.setKeepAliveTime(5, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Reads a file, or files that belong together, and reads them again when they change.
	 * @param <T> type of the content
	 * @param files the files to watch
	 * @param parser parses the contents, which are in the order of the files
	 * @param changed receives the previous and the new content after a change, on a
	 * thread that it must not block
	 * @return the watched files
	 * @throws IllegalArgumentException if a file cannot be read, or the content is
	 * invalid. The message names the files
	 */
	static <T> WatchedFile<T> of(List<Path> files, Parser<? extends T> parser, BiConsumer<T, T> changed) {
		WatchedFile<T> file = new WatchedFile<>(files, parser, changed);
		checkLater(new WeakReference<>(file));
		return file;
	}

	/** Reads files once. */
	static <T> WatchedFile<T> once(List<Path> files, Parser<? extends T> parser) {
		return new WatchedFile<>(files, parser, (before, after) -> {
		});
	}

	private static void checkLater(WeakReference<WatchedFile<?>> reference) {
		executor.schedule(() -> {
			WatchedFile<?> file = reference.get();
			if (file == null) {
				return;
			}
			try {
				file.check();
			}
			catch (RuntimeException | Error ex) {
				logger.error("Cannot check whether {} has changed; trying again. The current content remains in use",
						file, ex);
			}
			finally {
				// Checking must continue even if logging fails.
				checkLater(reference);
			}
		}, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Returns the content. Does not block.
	 * @return the last valid content
	 */
	T current() {
		return this.current;
	}

	/** Reads the files if they have changed. One thread calls this. */
	void check() {
		List<Map<String, Object>> stamps = stamps();
		boolean settled = stamps.equals(this.lastStamps);
		this.lastStamps = stamps;
		if (settled && !stamps.equals(this.readStamps)) {
			readAgain(stamps);
		}
	}

	private void readAgain(List<Map<String, Object>> stamps) {
		T content;
		try {
			content = read();
		}
		catch (Exception ex) {
			// An I/O error may be temporary. For example, granting a missing permission
			// does not change the stamps.
			this.readStamps = (ex instanceof IOException) ? this.readStamps : stamps;
			report(describe(ex));
			return;
		}
		if (!stamps.equals(stamps())) {
			// A file was modified while it was being read.
			return;
		}
		this.readStamps = stamps;
		this.failure = null;
		T previous = this.current;
		this.current = content;
		logger.info("Using the changed content of {}", this);
		try {
			this.changed.accept(previous, content);
		}
		catch (RuntimeException ex) {
			logger.error("Failed to apply the changed content of {} to all connected clients. Restart this server to "
					+ "apply it", this, ex);
		}
	}

	private void report(String reason) {
		if (!reason.equals(this.failure)) {
			this.failure = reason;
			logger.error("{}. The previous content remains in use until the file is corrected", reason);
		}
	}

	private T read() throws Exception {
		List<byte[]> contents = new ArrayList<>();
		for (Path file : this.files) {
			contents.add(read(file));
		}
		return this.parser.parse(contents);
	}

	private static byte[] read(Path file) throws IOException {
		if (Files.exists(file) && !Files.isRegularFile(file)) {
			throw new IOException(file + " is not a regular file");
		}
		try (InputStream in = Files.newInputStream(file)) {
			byte[] content = in.readNBytes(MAX_SIZE + 1);
			if (content.length > MAX_SIZE) {
				throw new IllegalArgumentException(file + " is larger than " + MAX_SIZE + " bytes");
			}
			return content;
		}
		catch (NoSuchFileException ex) {
			throw new IOException(file + " does not exist", ex);
		}
		catch (AccessDeniedException ex) {
			throw new IOException("this process has no permission to read " + file, ex);
		}
	}

	private List<Map<String, Object>> stamps() {
		return this.files.stream().map(WatchedFile::stamp).toList();
	}

	/** Returns attributes for detecting changes, empty if the file is missing. */
	private static Map<String, Object> stamp(Path file) {
		try {
			return Files.readAttributes(file, "lastModifiedTime,size,fileKey");
		}
		catch (IOException ex) {
			return Map.of();
		}
	}

	private String describe(Exception failure) {
		return "Cannot use " + this + ": " + ((failure.getMessage() != null) ? failure.getMessage() : failure);
	}

	@Override
	public String toString() {
		return this.files.stream().map(Path::toString).collect(Collectors.joining(" and "));
	}

	/**
	 * Parses a file, or files that belong together.
	 *
	 * @param <T> type of the content
	 */
	@FunctionalInterface
	interface Parser<T> {

		/**
		 * Parses files.
		 * @param contents the bytes of each file
		 * @return the parsed content
		 * @throws IOException if parsing should be retried at the next check
		 * @throws Exception if the content is invalid. The message names the line and
		 * explains how to fix the problem, but must not contain secrets
		 */
		T parse(List<byte[]> contents) throws Exception;

	}

}
