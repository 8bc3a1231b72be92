package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names and public keys of the nodes of a network, read again after their file has
 * changed. A file that has become unreadable or malformed keeps the previous content.
 * Thread-safe.
 */
final class KnownPeers implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(KnownPeers.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/** Reads the files of all nodes, so that no node waits for a slow file system. */
	private static final ScheduledThreadPoolExecutor executor = executor();

	private final Path file;

	private final ScheduledFuture<?> task;

	private volatile Content content;

	/** Changes with each modification of the file. Used by the executor. */
	private List<Object> stamp;

	/** Latest reason why the file could not be read. Used by the executor. */
	private @Nullable String failure;

	/**
	 * Reads a file, and watches it until this object is closed.
	 * @param file the file
	 * @throws IllegalArgumentException if the file cannot be read or is malformed
	 */
	public KnownPeers(Path file) {
		this(file, INTERVAL);
	}

	/**
	 * Reads a file.
	 * @param interval delay between reads of the file
	 */
	KnownPeers(Path file, Duration interval) {
		this.file = file;
		this.stamp = stamp();
		this.content = new Content(PeersFile.read(file));
		this.task = executor.scheduleWithFixedDelay(this::refresh, interval.toMillis(), interval.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private static ScheduledThreadPoolExecutor executor() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "dafka-curve-peers");
			thread.setDaemon(true);
			return thread;
		});
		executor.setRemoveOnCancelPolicy(true);
		executor.setKeepAliveTime(10, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Returns whether a node belongs to the network.
	 * @param key public key of the node
	 * @return whether the file contains the key
	 */
	public boolean contains(Bytes key) {
		return this.content.keys.contains(key);
	}

	/**
	 * Returns the key of a node.
	 * @param name name of the node
	 * @return its public key, or {@code null} if the file does not contain the name
	 */
	public @Nullable Bytes key(String name) {
		return this.content.names.get(name);
	}

	/**
	 * Returns the file, for messages.
	 * @return the file
	 */
	public Path file() {
		return this.file;
	}

	/** Reads the file again if it has changed. */
	void refresh() {
		List<Object> stamp = stamp();
		if (stamp.equals(this.stamp)) {
			return;
		}
		try {
			this.content = new Content(PeersFile.read(this.file));
			this.stamp = stamp;
			this.failure = null;
			logger.info("Read {}: nodes of this network: {}", this.file, this.content.keys.size());
		}
		catch (RuntimeException ex) {
			// Read again with the next check, because the file may be being written.
			String failure = String.valueOf(ex.getMessage());
			if (!failure.equals(this.failure)) {
				this.failure = failure;
				logger.error("Keeping the previous list of peers. {}", failure);
			}
		}
	}

	private List<Object> stamp() {
		try {
			BasicFileAttributes attributes = Files.readAttributes(this.file, BasicFileAttributes.class);
			return List.of(attributes.lastModifiedTime(), attributes.size(), String.valueOf(attributes.fileKey()));
		}
		catch (IOException | SecurityException ex) {
			return List.of();
		}
	}

	/** Stops watching the file. */
	@Override
	public void close() {
		this.task.cancel(false);
	}

	private static final class Content {

		private final Map<String, Bytes> names;

		private final Set<Bytes> keys;

		Content(Map<String, Bytes> names) {
			this.names = names;
			this.keys = new HashSet<>(names.values());
		}

	}

}
