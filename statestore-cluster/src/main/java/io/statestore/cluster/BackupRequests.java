package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots that the command {@code backup} requests from a running node, through an
 * empty file in its directory. The node answers by renaming the file, which needs no disk
 * space.
 */
final class BackupRequests {

	private static final Logger logger = LoggerFactory.getLogger(BackupRequests.class);

	private static final String PREFIX = "backup-";

	private static final String REQUEST = ".request";

	/** Time to wait for a leader that confirms what was committed. */
	private static final Duration LEADER_TIMEOUT = Duration.ofSeconds(5);

	/** Time in which a failed snapshot is tried again. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final Path directory;

	private final Supplier<CompletableFuture<Long>> readIndex;

	private final Supplier<CompletableFuture<Void>> snapshot;

	private final AtomicBoolean answering = new AtomicBoolean();

	/** Start of the attempts for the current requests. */
	private volatile long begin;

	private volatile boolean repeated;

	/**
	 * Creates an object for a node.
	 * @param readIndex waits until the node has applied everything that was committed
	 * @param snapshot writes a snapshot
	 */
	BackupRequests(Path directory, Supplier<CompletableFuture<Long>> readIndex,
			Supplier<CompletableFuture<Void>> snapshot) {
		this.directory = directory;
		this.readIndex = readIndex;
		this.snapshot = snapshot;
	}

	/** Answers requests, if there are any. Called repeatedly, and does not wait. */
	void check() {
		List<Path> requests = list(this.directory, REQUEST);
		if (requests.isEmpty() || !this.answering.compareAndSet(false, true)) {
			return;
		}
		if (!this.repeated) {
			this.begin = System.nanoTime();
		}
		CompletableFuture.completedFuture(null)
			.thenCompose((nothing) -> this.readIndex.get())
			.orTimeout(LEADER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.handle((index, failure) -> (failure == null) ? Answer.CURRENT : Answer.ALONE)
			.thenCompose((answer) -> this.snapshot.get().thenApply((done) -> answer))
			.whenComplete((answer, failure) -> finish(requests, answer, failure));
	}

	private void finish(List<Path> requests, @Nullable Answer answer, @Nullable Throwable failure) {
		try {
			this.repeated = answer == null && System.nanoTime() - this.begin < RETRY_NANOS;
			if (!this.repeated) {
				if (answer == null) {
					logger.warn("Cannot write a snapshot for a backup. Check the space on the disk: {}",
							String.valueOf(failure));
				}
				answer(requests, (answer != null) ? answer : Answer.FAILED);
			}
		}
		finally {
			this.answering.set(false);
		}
	}

	private static void answer(List<Path> requests, Answer answer) {
		for (Path request : requests) {
			try {
				Files.move(request, answer.file(request), StandardCopyOption.ATOMIC_MOVE);
			}
			catch (NoSuchFileException ex) {
				// The command was interrupted.
			}
			catch (IOException ex) {
				logger.warn("Cannot answer the request {} for a backup; trying again: {}", request, ex.toString());
			}
		}
	}

	/** Creates a request, which the caller deletes with {@link #delete}. */
	static Path create(Path directory) throws IOException {
		return Files.createTempFile(directory, PREFIX, REQUEST);
	}

	/** Returns the answer to a request, or {@code null} if there is none yet. */
	static @Nullable Answer answer(Path request) throws IOException {
		boolean pending = Files.exists(request);
		for (Answer answer : Answer.values()) {
			if (Files.exists(answer.file(request))) {
				return answer;
			}
		}
		if (!pending) {
			// A node that was starting has deleted it.
			Files.createFile(request);
		}
		return null;
	}

	/** Deletes a request and its answer. */
	static void delete(Path request) throws IOException {
		Files.deleteIfExists(request);
		for (Answer answer : Answer.values()) {
			Files.deleteIfExists(answer.file(request));
		}
	}

	/** Deletes what interrupted commands have left, before the node takes requests. */
	static void deleteAll(Path directory) throws IOException {
		for (Path file : list(directory, "")) {
			Files.deleteIfExists(file);
		}
	}

	private static List<Path> list(Path directory, String suffix) {
		List<Path> files = new ArrayList<>();
		try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, PREFIX + '*' + suffix)) {
			stream.forEach(files::add);
		}
		catch (IOException ex) {
			logger.debug("Cannot list {}", directory, ex);
		}
		return files;
	}

	/** Answer of a node. */
	enum Answer {

		/** The snapshot has all entries that were committed before the request. */
		CURRENT,

		/** The node knows no leader. The snapshot has the entries that it has applied. */
		ALONE,

		/** There is no new snapshot. */
		FAILED;

		private Path file(Path request) {
			String name = request.getFileName().toString();
			return request.resolveSibling(name.substring(0, name.length() - REQUEST.length()) + '.' + this);
		}

	}

}
