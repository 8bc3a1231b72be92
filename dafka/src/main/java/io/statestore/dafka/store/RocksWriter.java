package io.statestore.dafka.store;

import java.util.concurrent.locks.LockSupport;

import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Writer of batches to RocksDB. RocksDB blocks writes while its memory is full, without
 * limit if it cannot write its tables because the disk is full. In this case, the writer
 * fails. Not thread-safe.
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
	 * Writes a batch, all of it or nothing.
	 * @param batch the batch
	 * @param sync whether to wait until this and every earlier write is on the disk
	 * @throws RocksDBException if the write fails
	 * @throws StorageException if RocksDB blocks writes and cannot write its tables
	 */
	void write(WriteBatch batch, boolean sync) throws RocksDBException {
		if (writeAtOnce(batch, sync)) {
			return;
		}
		long failures = failures();
		// Writing again also reports a failure that was counted before the line above.
		while (!writeAtOnce(batch, sync)) {
			if (!isStopped()) {
				// RocksDB only slows writes down, by a limited time.
				this.db.write(sync ? this.synced : this.unsynced, batch);
				return;
			}
			// RocksDB tries again once a second.
			if (failures() > failures) {
				throw this.diagnosis.tablesFail();
			}
			LockSupport.parkNanos(POLL_NANOS);
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
