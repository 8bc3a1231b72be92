package io.statestore.dafka.store.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
import org.rocksdb.WriteOptions;

/**
 * RocksDB in a directory. Every write goes through its log, so what was written survives
 * the end of the process, and with {@code sync} that of the machine.
 */
public final class RocksEngine implements Engine {

	private static final long WRITE_BUFFER = 32 << 20;

	private static final long MAX_LOG = 128 << 20;

	private final Options options;

	private final WriteOptions lazily = new WriteOptions();

	private final WriteOptions synced = new WriteOptions().setSync(true);

	private final RocksDB db;

	private RocksEngine(Options options, RocksDB db) {
		this.options = options;
		this.db = db;
	}

	/**
	 * Opens or creates.
	 * @throws StorageException if the directory cannot be used, or another process uses
	 * it
	 */
	public static RocksEngine open(Path directory) {
		RocksDB.loadLibrary();
		// Compression is left to producers; the content of records is often compressed.
		Options options = new Options(new DBOptions(), new ColumnFamilyOptions()).setCreateIfMissing(true)
			.setParanoidChecks(true)
			.setCompressionType(CompressionType.NO_COMPRESSION)
			.setWriteBufferSize(WRITE_BUFFER)
			.setMaxTotalWalSize(MAX_LOG)
			.setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
			.setKeepLogFileNum(2);
		try {
			Files.createDirectories(directory);
			return new RocksEngine(options, RocksDB.open(options, directory.toString()));
		}
		catch (IOException | RocksDBException ex) {
			options.close();
			throw new StorageException("Cannot open the records in " + directory + " (" + ex.getMessage()
					+ "): check that the directory is writable and that no other store uses it", ex);
		}
	}

	@Override
	public void write(List<Entry> entries, boolean sync) {
		requireOpen();
		try (WriteBatch batch = new WriteBatch()) {
			for (Entry entry : entries) {
				batch.put(entry.key(), entry.value());
			}
			this.db.write(sync ? this.synced : this.lazily, batch);
		}
		catch (RocksDBException ex) {
			throw failure("write", ex);
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
	public void remove(byte[] from, byte[] to) {
		requireOpen();
		try {
			this.db.deleteRange(this.lazily, from, to);
			this.db.deleteFilesInRanges(this.db.getDefaultColumnFamily(), List.of(from, to), false);
		}
		catch (RocksDBException ex) {
			throw failure("remove", ex);
		}
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
			throw failure("close", ex);
		}
		finally {
			this.db.close();
			this.options.close();
			this.lazily.close();
			this.synced.close();
		}
	}

	/** Native code would end the process. */
	private void requireOpen() {
		if (!this.db.isOwningHandle()) {
			throw new StorageException("The records are closed", null);
		}
	}

	private static void check(RocksIterator iterator) {
		try {
			iterator.status();
		}
		catch (RocksDBException ex) {
			throw failure("read", ex);
		}
	}

	private static StorageException failure(String what, RocksDBException cause) {
		return new StorageException("Cannot " + what + " records: " + cause.getMessage(), cause);
	}

}
