package io.statestore.dafka.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
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
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine that uses RocksDB in a directory. Every write goes through a write-ahead log, so
 * it survives a crash of the process, and with {@code sync} a crash of the machine. After
 * a crash of the machine, the directory contains all synced writes, and none, some, or
 * all of the later ones, without gaps.
 */
final class RocksEngine implements Engine {

	private static final Logger logger = LoggerFactory.getLogger(RocksEngine.class);

	private static final long WRITE_BUFFER = 32 << 20;

	private static final long MAX_LOG = 128 << 20;

	private final Path directory;

	private final RocksDiagnosis diagnosis;

	private final Options options;

	private final RocksDB db;

	private final RocksWriter writer;

	private RocksEngine(Path directory, Options options, RocksDB db) {
		this.directory = directory;
		this.diagnosis = new RocksDiagnosis(directory);
		this.options = options;
		this.db = db;
		this.writer = new RocksWriter(db, this.diagnosis);
	}

	/**
	 * Opens a directory, which is created if necessary.
	 * @param directory directory of the records
	 * @return the engine
	 * @throws StorageException if the directory cannot be used or is damaged, or another
	 * process uses it
	 */
	public static RocksEngine open(Path directory) {
		return open(directory, (options) -> {
		});
	}

	/** Opens a directory with modified options. */
	static RocksEngine open(Path directory, Consumer<Options> tuning) {
		RocksDB.loadLibrary();
		RocksDiagnosis diagnosis = new RocksDiagnosis(directory);
		Options options = options(true);
		tuning.accept(options);
		try {
			PrivateFiles.createDirectories(directory);
			if (Files.exists(directory.resolve("CURRENT")) && !hasLogs(directory)) {
				createLog(directory);
			}
			RocksEngine engine = new RocksEngine(directory, options, RocksDB.open(options, directory.toString()));
			diagnosis.droppedWrites()
				.forEach((dropped) -> logger.warn("The end of a write-ahead log in {} is unreadable, which a power"
						+ " failure can cause. The latest records are lost, unless their producers or other stores"
						+ " have them: {}", directory, dropped));
			return engine;
		}
		catch (IOException | RocksDBException ex) {
			options.close();
			throw diagnosis.cannotOpen(ex);
		}
	}

	private static Options options(boolean verifyLogs) {
		Properties properties = new Properties();
		// After a power failure, a log may follow a truncated one. Without this, its
		// records would be read as if there was no gap.
		properties.setProperty("track_and_verify_wals", String.valueOf(verifyLogs));
		// Producers may compress the content of records themselves.
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
	 * left a directory without one.
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
			this.writer.write(batch, sync);
		}
		catch (RocksDBException ex) {
			throw this.diagnosis.cannot("write", ex);
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
			// Synced, because files that are deleted below stay deleted after a power
			// failure, while other files have entries of the same ranges.
			this.writer.write(batch, true);
			this.db.deleteFilesInRanges(this.db.getDefaultColumnFamily(), ends, false);
		}
		catch (RocksDBException ex) {
			throw this.diagnosis.cannot("remove", ex);
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
			throw this.diagnosis.cannot("close", ex);
		}
		finally {
			this.db.close();
			this.options.close();
			this.writer.close();
		}
	}

	/** Prevents the use of a closed database, which would crash the process. */
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
			throw this.diagnosis.cannot("read", ex);
		}
	}

}
