package io.statestore.dafka.store.storage;

import java.util.concurrent.locks.LockSupport;

import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Writes batches to RocksDB. RocksDB stops writes as long as its memory is full, without
 * limit if it cannot write its tables because the disk is full. This writer fails then.
 * For one thread.
 */
final class RocksWriter implements AutoCloseable {

	private static final long POLL_NANOS = 1_000_000;

	private final RocksDB db;

	private final RocksDiagnosis diagnosis;

	private final WriteOptions unsynced = new WriteOptions();

	private final WriteOptions synced = new WriteOptions().setSync(true);

	private final WriteOptions unsyncedAtOnce = new WriteOptions().setNoSlowdown(true);

	private final WriteOptions syncedAtOnce = new WriteOptions().setNoSlowdown(true).setSync(true);

	RocksWriter(RocksDB db, RocksDiagnosis diagnosis) {
		this.db = db;
		this.diagnosis = diagnosis;
	}

	/**
	 * Writes all of a batch or nothing.
	 * @param batch to write
	 * @param sync whether to return only when it, and every write before it, is on the
	 * disk
	 * @throws RocksDBException if the write fails
	 * @throws StorageException if RocksDB has stopped writes and cannot write its tables
	 */
	void write(WriteBatch batch, boolean sync) throws RocksDBException {
		while (!writeAtOnce(batch, sync)) {
			if (!isStopped()) {
				// Writes are only slowed down, by a time that RocksDB limits.
				this.db.write(sync ? this.synced : this.unsynced, batch);
				return;
			}
			awaitTables();
		}
	}

	private boolean writeAtOnce(WriteBatch batch, boolean sync) throws RocksDBException {
		try {
			this.db.write(sync ? this.syncedAtOnce : this.unsyncedAtOnce, batch);
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

	private void awaitTables() throws RocksDBException {
		long failures = failures();
		while (isStopped()) {
			// RocksDB tries once a second.
			if (failures() > failures) {
				throw this.diagnosis.tablesFail();
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	private boolean isStopped() throws RocksDBException {
		return this.db.getLongProperty("rocksdb.is-write-stopped") > 0;
	}

	private long failures() throws RocksDBException {
		return this.db.getLongProperty("rocksdb.background-errors");
	}

	@Override
	public void close() {
		this.unsynced.close();
		this.synced.close();
		this.unsyncedAtOnce.close();
		this.syncedAtOnce.close();
	}

}
