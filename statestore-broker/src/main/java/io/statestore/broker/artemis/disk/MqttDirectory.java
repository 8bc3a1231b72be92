package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongSupplier;

import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import org.apache.activemq.artemis.core.config.Configuration;

/**
 * Directory with the MQTT sessions and their messages. The broker must be its only user,
 * which the owner of the store ensures.
 * <p>
 * Internal: not part of the API.
 *
 * @param path the directory
 * @param options options of the store
 */
public record MqttDirectory(Path path, StorageOptions options) {

	private static final String NAME = "mqtt";

	/** Size of a file of the journal, of which there are at least two. */
	private static final int FILE_SIZE = 2 * 1024 * 1024;

	/** Size of a file of the journal of queues. */
	static final int BINDINGS_FILE_SIZE = 1024 * 1024;

	private static final String JOURNAL = "journal";

	private static final String BINDINGS = "bindings";

	private static final String LARGE_MESSAGES = "large-messages";

	/**
	 * Number of files with which the journal continues on a full disk: room for the
	 * acknowledgments of about 100,000 messages.
	 */
	private static final int RESERVED_FILES = 3;

	/**
	 * Time after which Artemis logs all threads if the journal waits for a file, as it
	 * does on a full disk.
	 */
	private static final int OPEN_TIMEOUT_SECONDS = 60;

	/** Size of the buffer of the journal. Larger messages get a file of their own. */
	private static final int BUFFER_SIZE = 256 * 1024;

	/**
	 * Time in which writes are collected before one of them waits for the disk. With the
	 * default of 3.3 ms, each message would take that long. Writes that arrive during a
	 * wait form the next group anyway.
	 */
	private static final int BUFFER_TIMEOUT_NANOS = 50_000;

	private static final int COMPACT_MIN_FILES = 4;

	/** Maximum number of files kept for reuse. */
	private static final int POOL_FILES = 2;

	/**
	 * Returns the directory for a store.
	 * @param options options of the store
	 * @return its subdirectory for MQTT
	 */
	public static MqttDirectory of(StorageOptions options) {
		return new MqttDirectory(options.directory().resolve(NAME), options);
	}

	/**
	 * Returns whether writes wait for the disk.
	 * @return {@code true} if a message is acknowledged when it is on the disk,
	 * {@code false} if it is acknowledged when the operating system has it
	 */
	public boolean forces() {
		return this.options.fsync() == Fsync.ALWAYS;
	}

	/**
	 * Opens the file of sessions.
	 * @param nanoTime returns monotonic time in nanoseconds
	 * @return the open file
	 * @throws IllegalStateException if the file is damaged or from a newer version, or
	 * the directory cannot be used
	 */
	public SessionFile openSessions(LongSupplier nanoTime) {
		return openSessions(nanoTime, Disk.REAL);
	}

	SessionFile openSessions(LongSupplier nanoTime, Disk disk) {
		try {
			StoreDirectory.create(this.path);
			disk.force(this.options.directory(), true);
			return SessionFile.open(this.path.resolve("sessions"), forces(), nanoTime,
					() -> Files.getFileStore(this.path).getUsableSpace(), disk);
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
	}

	/**
	 * Opens the state of the disk, and reserves space.
	 * @return a new state
	 * @throws IllegalStateException if the directory cannot be used
	 */
	public DiskState openDisk() {
		try {
			StoreDirectory.create(this.path.resolve(LARGE_MESSAGES));
			Map<String, ReserveFiles> reserves = Map.of(JOURNAL, reserve(JOURNAL, FILE_SIZE, RESERVED_FILES), BINDINGS,
					reserve(BINDINGS, BINDINGS_FILE_SIZE, 1));
			return new DiskState(this.path, reserves);
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
	}

	private ReserveFiles reserve(String folder, int fileSize, int count) throws IOException {
		ReserveFiles reserve = new ReserveFiles(StoreDirectory.create(this.path.resolve(folder)), fileSize, count);
		reserve.fill();
		return reserve;
	}

	private IllegalStateException unusable(IOException cause) {
		return new IllegalStateException("Cannot use the directory " + this.path + " for MQTT sessions: " + cause
				+ ". Check that it is writable and not full", cause);
	}

	/**
	 * Configures the journal.
	 * @param configuration the configuration of the server
	 */
	public void configure(Configuration configuration) {
		configuration.setPersistenceEnabled(true)
			.setJournalDirectory(folder(JOURNAL))
			.setBindingsDirectory(folder(BINDINGS))
			.setLargeMessagesDirectory(folder(LARGE_MESSAGES))
			.setPagingDirectory(folder("paging"))
			.setNodeManagerLockDirectory(folder(JOURNAL))
			.setJournalFileSize(FILE_SIZE)
			.setJournalFileOpenTimeout(OPEN_TIMEOUT_SECONDS)
			.setJournalMinFiles(2)
			.setJournalPoolFiles(POOL_FILES)
			.setJournalCompactMinFiles(COMPACT_MIN_FILES)
			.setJournalBufferSize_NIO(BUFFER_SIZE)
			.setJournalBufferTimeout_NIO(BUFFER_TIMEOUT_NANOS)
			// Without these two, acknowledged messages could still be in the buffer of
			// the process.
			.setJournalSyncTransactional(true)
			.setJournalSyncNonTransactional(true)
			.setJournalDatasync(forces())
			.setPersistIDCache(false);
	}

	private String folder(String name) {
		return this.path.resolve(name).toString();
	}

}
