package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names and public keys of the nodes in a network, read again after their file has
 * changed. Each line contains a name and a key. Lines that begin with {@code #} are
 * comments. If the file becomes unreadable or malformed, the previous content remains in
 * effect. Thread-safe.
 */
final class KnownPeers implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(KnownPeers.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/**
	 * Reads the files for all nodes in this JVM, so that the nodes' threads do not wait
	 * for a slow file system.
	 */
	private static final ScheduledThreadPoolExecutor executor = executor();

	/** Pattern of valid node names, which are also file names. */
	static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

	private static final String OPTION = "curve.peersFile";

	/** Maximum size of the file in bytes, enough for 100,000 nodes. */
	private static final int MAX_SIZE = 16 << 20;

	private static final Pattern SPACE = Pattern.compile("\\s+");

	private final Path file;

	private final ScheduledFuture<?> task;

	private volatile Map<String, Bytes> names;

	private volatile Set<Bytes> keys;

	/** Identifies the version of the file that was read. Used by the executor. */
	private List<Object> stamp;

	/** Latest reason why the file could not be read. Used by the executor. */
	private @Nullable String failure;

	/**
	 * Reads a file and watches it until this object is closed.
	 * @param file file with one node per line
	 * @throws IllegalArgumentException if the file cannot be read or is malformed
	 */
	public KnownPeers(Path file) {
		this(file, INTERVAL);
	}

	/**
	 * Reads a file and watches it until this object is closed.
	 * @param interval delay between checks of the file
	 */
	KnownPeers(Path file, Duration interval) {
		this.file = file;
		this.stamp = stamp();
		this.names = read(file);
		this.keys = new HashSet<>(this.names.values());
		this.task = executor.scheduleWithFixedDelay(this::refresh, interval.toMillis(), interval.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private static ScheduledThreadPoolExecutor executor() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
				new DefaultThreadFactory("dafka-curve-peers", true));
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
		return this.keys.contains(key);
	}

	/**
	 * Returns a node's key.
	 * @param name name of the node
	 * @return the node's public key, or {@code null} if the file does not contain the
	 * name
	 */
	public @Nullable Bytes key(String name) {
		return this.names.get(name);
	}

	Path file() {
		return this.file;
	}

	/** Reads the file again if it has changed. */
	void refresh() {
		List<Object> stamp = stamp();
		if (stamp.equals(this.stamp)) {
			return;
		}
		try {
			this.names = read(this.file);
			this.keys = new HashSet<>(this.names.values());
			this.stamp = stamp;
			this.failure = null;
			logger.info("Read {}: nodes of this network: {}", this.file, this.keys.size());
		}
		catch (RuntimeException ex) {
			// The next check reads the file again, because it may be only partially
			// written now.
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

	/**
	 * Reads a file.
	 * @param file file with one node per line
	 * @return public keys by name
	 * @throws IllegalArgumentException if the file cannot be read or is malformed
	 */
	static Map<String, Bytes> read(Path file) {
		return parse(file, CurveKeyPair.text(OPTION, file, MAX_SIZE,
				"a file that this process can read; 'dafka keys' creates it"));
	}

	/** Parses the content of a file. */
	static Map<String, Bytes> parse(Path file, String content) {
		Map<String, Bytes> keys = new LinkedHashMap<>();
		int number = 0;
		for (String line : content.split("\n", -1)) {
			number++;
			String text = line.strip();
			if (text.isEmpty() || text.startsWith("#")) {
				continue;
			}
			String[] parts = SPACE.split(text);
			byte[] key = (parts.length == 2 && NAME.matcher(parts[0]).matches()) ? Z85.decode(parts[1]) : null;
			Options.require(key != null, OPTION, "'" + file + "', whose line " + number + " is malformed,",
					"a file with a name and a public key of 40 characters in each line");
			boolean added = key != null && keys.putIfAbsent(parts[0], Bytes.wrap(key)) == null;
			Options.require(added, OPTION, "'" + file + "', whose line " + number + " repeats a name,",
					"a file with a different name in each line");
		}
		Options.require(!keys.isEmpty(), OPTION, "'" + file + "', which is empty,",
				"a file with a name and a public key of 40 characters in each line");
		return keys;
	}

}
