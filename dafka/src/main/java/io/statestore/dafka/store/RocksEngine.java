package io.statestore.dafka.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.statestore.dafka.internal.PrivateFiles;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine that uses RocksDB in a directory. Every write goes through a write-ahead log, so
 * it survives a process crash and, with {@code sync}, a machine crash. After a machine
 * crash, the directory contains all synced writes and none, some, or all later writes,
 * without gaps.
 * <p>
 * RocksDB blocks writes while its memory is full. If a full disk prevents it from writing
 * its tables, it blocks indefinitely. In that case, a write to this engine fails instead.
 */
final class RocksEngine implements Engine {

	private static final Logger logger = LoggerFactory.getLogger(RocksEngine.class);

	private static final long WRITE_BUFFER = 32 << 20;

	private static final long MAX_LOG = 128 << 20;

	private static final long POLL_NANOS = 1_000_000;

	private static final String DAMAGED = "the directory is damaged: restore it from a copy, or move it away. A"
			+ " Dafka store with an empty directory copies the records of other stores";

	private final Path directory;

	private final Options options;

	private final RocksDB db;

	private RocksEngine(Path directory, Options options, RocksDB db) {
		this.directory = directory;
		this.options = options;
		this.db = db;
	}

	/**
	 * Opens a directory, creating it if necessary.
	 * @param directory directory for the records
	 * @return an engine that locks the directory until closed
	 * @throws StorageException if the directory is unusable, damaged, or in use by
	 * another process
	 */
	public static RocksEngine open(Path directory) {
		return open(directory, (options) -> {
		});
	}

	/** Opens a directory with modified options. */
	static RocksEngine open(Path directory, Consumer<Options> tuning) {
		RocksDB.loadLibrary();
		Options options = options(true);
		tuning.accept(options);
		try {
			PrivateFiles.createDirectories(directory);
			if (Files.exists(directory.resolve("CURRENT")) && !hasLogs(directory)) {
				createLog(directory);
			}
			RocksEngine engine = new RocksEngine(directory, options, RocksDB.open(options, directory.toString()));
			droppedWrites(directory)
				.forEach((dropped) -> logger.warn("The end of a write-ahead log in {} is unreadable, which a power"
						+ " failure can cause. The latest records are lost, unless their producers or other stores"
						+ " have them: {}", directory, dropped));
			return engine;
		}
		catch (IOException | RocksDBException ex) {
			options.close();
			throw failure("open", directory, ex, "check that it is a directory in which this process can write");
		}
	}

	private static Options options(boolean verifyLogs) {
		Properties properties = new Properties();
		// After a power failure, a log may follow a truncated log. Without this option,
		// its records would be read as if there were no gap.
		properties.setProperty("track_and_verify_wals", String.valueOf(verifyLogs));
		// Not compressed here, because producers may compress record content themselves.
		return new Options(DBOptions.getDBOptionsFromProps(properties), new ColumnFamilyOptions())
			.setCreateIfMissing(true)
			.setParanoidChecks(true)
			.setCompressionType(CompressionType.NO_COMPRESSION)
			.setWriteBufferSize(WRITE_BUFFER)
			.setMaxTotalWalSize(MAX_LOG)
			.setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
			.setKeepLogFileNum(2);
	}

	/**
	 * Creates a log, which verification requires. An interrupted first start may have
	 * left a directory without a log.
	 */
	private static void createLog(Path directory) throws RocksDBException {
		try (Options options = options(false); RocksDB db = RocksDB.open(options, directory.toString())) {
			logger.debug("Created the first write-ahead log of {}: {}", directory, db.getLatestSequenceNumber());
		}
	}

	private static boolean hasLogs(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.anyMatch((file) -> file.toString().endsWith(".log"));
		}
	}

	@Override
	public void write(List<Entry> entries, boolean sync) {
		requireOpen();
		try (WriteBatch batch = new WriteBatch()) {
			for (Entry entry : entries) {
				batch.put(entry.key(), entry.value());
			}
			write(batch, sync);
		}
		catch (RocksDBException ex) {
			throw cannot("write", ex);
		}
	}

	@Override
	public @Nullable Entry floor(byte[] key) {
		requireOpen();
		try (RocksIterator iterator = this.db.newIterator()) {
			iterator.seekForPrev(key);
			check(iterator);
			return iterator.isValid() ? new Entry(iterator.key(), iterator.value()) : null;
		}
	}

	@Override
	public void scan(byte[] from, Visitor visitor) {
		requireOpen();
		try (RocksIterator iterator = this.db.newIterator()) {
			iterator.seek(from);
			while (iterator.isValid() && visitor.visit(iterator.key(), iterator.value())) {
				iterator.next();
			}
			check(iterator);
		}
	}

	@Override
	public void remove(List<Range> ranges) {
		requireOpen();
		List<byte[]> ends = new ArrayList<>();
		try (WriteBatch batch = new WriteBatch()) {
			for (Range range : ranges) {
				batch.deleteRange(range.from(), range.to());
				ends.add(range.from());
				ends.add(range.to());
			}
			// Synced, because files deleted below stay deleted after a power failure,
			// while other files still have entries in the same ranges.
			write(batch, true);
			this.db.deleteFilesInRanges(this.db.getDefaultColumnFamily(), ends, false);
		}
		catch (RocksDBException ex) {
			throw cannot("remove", ex);
		}
	}

	@Override
	public String location() {
		return "directory " + this.directory;
	}

	@Override
	public void close() {
		if (!this.db.isOwningHandle()) {
			return;
		}
		try {
			this.db.syncWal();
		}
		catch (RocksDBException ex) {
			throw cannot("close", ex);
		}
		finally {
			this.db.close();
			this.options.close();
		}
	}

	/** Prevents the use of a closed database, because that would crash the process. */
	private void requireOpen() {
		if (!this.db.isOwningHandle()) {
			throw new StorageException("The records in " + this.directory + " are closed", null);
		}
	}

	private void check(RocksIterator iterator) {
		try {
			iterator.status();
		}
		catch (RocksDBException ex) {
			throw cannot("read", ex);
		}
	}

	/**
	 * Writes a batch atomically.
	 * @param batch changes to write
	 * @param sync whether to wait until this write and all earlier writes are on disk
	 * @throws RocksDBException if the write fails
	 * @throws StorageException if RocksDB blocks writes and cannot write its tables
	 */
	private void write(WriteBatch batch, boolean sync) throws RocksDBException {
		try (WriteOptions options = new WriteOptions().setSync(sync).setNoSlowdown(true)) {
			if (writeAtOnce(batch, options)) {
				return;
			}
			long failures = failures();
			// Another attempt to write also reports a failure that was counted before the
			// line above.
			while (!writeAtOnce(batch, options)) {
				if (!isStopped()) {
					// RocksDB only slows writes down for a limited time.
					this.db.write(options.setNoSlowdown(false), batch);
					return;
				}
				// RocksDB tries again every second, so another failure was counted.
				if (failures() > failures) {
					throw tablesFail();
				}
				LockSupport.parkNanos(POLL_NANOS);
			}
		}
	}

	private boolean writeAtOnce(WriteBatch batch, WriteOptions options) throws RocksDBException {
		try {
			this.db.write(options, batch);
			return true;
		}
		catch (RocksDBException ex) {
			Status status = ex.getStatus();
			if (status == null || status.getCode() != Status.Code.Incomplete) {
				throw ex;
			}
			return false;
		}
	}

	private boolean isStopped() throws RocksDBException {
		return this.db.getLongProperty("rocksdb.is-write-stopped") > 0;
	}

	private long failures() throws RocksDBException {
		return this.db.getLongProperty("rocksdb.background-errors");
	}

	/** Returns the failure of an operation, for example "read". */
	private StorageException cannot(String operation, RocksDBException cause) {
		return failure(operation, this.directory, cause, "check the disk, then start the store again");
	}

	/** Returns the failure of a write that waits for RocksDB to write its tables. */
	private StorageException tablesFail() {
		return new StorageException("Cannot write records in " + this.directory + " (RocksDB cannot write its tables; "
				+ usableSpace() + " bytes are free): free space on the disk, then start the store again. The file LOG"
				+ " in the directory has the details", null);
	}

	/**
	 * Returns the parts of write-ahead logs that could not be read when the directory was
	 * opened, as RocksDB reports them.
	 */
	static List<String> droppedWrites(Path directory) {
		try {
			return Files.readAllLines(directory.resolve("LOG"), StandardCharsets.ISO_8859_1)
				.stream()
				.filter((line) -> line.contains(".log: dropping "))
				.map((line) -> line.substring(line.lastIndexOf("] ") + 2))
				.toList();
		}
		catch (IOException ex) {
			return List.of();
		}
	}

	/**
	 * Converts a RocksDB failure into an exception that names the directory and says what
	 * to do next.
	 */
	private static StorageException failure(String operation, Path directory, Exception cause, String otherwise) {
		Status status = (cause instanceof RocksDBException failure) ? failure.getStatus() : null;
		return new StorageException("Cannot " + operation + " records in " + directory + " (" + cause.getMessage()
				+ "): " + nextStep(status, String.valueOf(cause.getMessage()), otherwise), cause);
	}

	private static String nextStep(@Nullable Status status, String message, String otherwise) {
		if (message.contains("LOCK: Resource") || message.startsWith("lock ")) {
			return "another store uses it; stop that store, or choose another directory";
		}
		if (status != null && status.getSubCode() == Status.SubCode.NoSpace) {
			return "free space on the disk, then start the store again";
		}
		return (status != null && status.getCode() == Status.Code.Corruption) ? DAMAGED : otherwise;
	}

	private long usableSpace() {
		try {
			return Files.getFileStore(this.directory).getUsableSpace();
		}
		catch (IOException ex) {
			return 0;
		}
	}

}
