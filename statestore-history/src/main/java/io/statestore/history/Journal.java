package io.statestore.history;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.node.Node;
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.store.storage.StoredPartition;
import io.statestore.dafka.wire.PartitionKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of one partition on disk. One thread writes; any thread may read.
 * <p>
 * After a failed write the content of the disk is unknown. The journal is therefore
 * opened again before the next write, to determine it.
 */
final class Journal implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Journal.class);

	private static final String CLOSED = "The journal of the history is closed: close the broker first";

	/** Minimum size that retention keeps, in bytes, so that the latest record remains. */
	static final long ALWAYS_KEPT = 1 << 20;

	/** Maximum time for which a call waits for another one. */
	private static final long PATIENCE_SECONDS = 10;

	private final Supplier<Engine> engines;

	private final Bytes topic;

	private final JournalOptions options;

	private final PartitionKey key;

	/** Held while the engine writes, which a disk may delay without limit. */
	private final Lock writing = new ReentrantLock();

	/** Prevents closing the engine during a read or write. */
	private final ReadWriteLock open = new ReentrantReadWriteLock();

	private volatile @Nullable RecordLog log;

	private Engine engine;

	private @Nullable StoredPartition partition;

	private volatile long next;

	private volatile boolean closed;

	private long retainedAt;

	/**
	 * Opens a journal, or creates it.
	 * @throws DafkaException if the disk cannot be used, or records are damaged
	 */
	Journal(Supplier<Engine> engines, Bytes topic, JournalOptions options) {
		this.engines = engines;
		this.topic = topic;
		this.options = options;
		this.engine = engines.get();
		RecordLog log = new RecordLog(this.engine);
		try {
			this.key = key(log);
			this.log = log;
			this.partition = log.partition(this.key);
			this.next = this.partition.next();
		}
		catch (RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	/** Returns the key in the log, so that name and sequence numbers belong together. */
	private PartitionKey key(RecordLog log) {
		for (StoredPartition partition : log.partitions()) {
			if (partition.key().subject().equals(this.topic)) {
				return partition.key();
			}
		}
		return new PartitionKey(Bytes.wrap(Node.newAddress().getBytes(StandardCharsets.US_ASCII)), this.topic);
	}

	PartitionKey key() {
		return this.key;
	}

	/** Returns the sequence number after the last written record. */
	long next() {
		return this.next;
	}

	/**
	 * Writes records, all or none. After a failure, it may be called again with the same
	 * records, which are not written twice.
	 */
	void write(List<byte[]> contents) {
		beginWriting();
		try {
			whole(() -> append(contents));
			retainAfter(contents);
		}
		finally {
			this.writing.unlock();
		}
	}

	private void retainAfter(List<byte[]> contents) {
		if (this.closed) {
			return;
		}
		try {
			long bytes = contents.stream().mapToLong((content) -> content.length).sum();
			whole(() -> retain(2 * bytes + ALWAYS_KEPT));
		}
		catch (RuntimeException ex) {
			// The changes are written. A failure would cause a repetition.
			logger.warn("Removing old changes from the history failed; retrying later", ex);
			openForReaders();
		}
	}

	/**
	 * Waits until all written records are on the disk. Called by the thread that writes.
	 */
	void force() {
		beginWriting();
		try {
			whole(() -> {
				StoredPartition partition = this.partition;
				if (partition == null || partition.next() != this.next) {
					throw changed(partition);
				}
				this.engine.write(List.of(), true);
			});
		}
		finally {
			this.writing.unlock();
		}
	}

	/** Waits for the thread of an earlier server, which may still wait for the disk. */
	private void beginWriting() {
		if (!acquire(this.writing)) {
			throw new HistoryException("The disk of the history has not responded for " + PATIENCE_SECONDS
					+ " s. Check the disk, then start the broker again");
		}
	}

	/** Acquires a lock, unless its holder waits for the disk. */
	private static boolean acquire(Lock lock) {
		boolean interrupted = Thread.interrupted();
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		try {
			while (true) {
				try {
					return lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Runs an action on the log. After a failure, the next action opens it again. */
	private void whole(Runnable action) {
		boolean done = false;
		try {
			if (this.log == null) {
				reopen();
			}
			this.open.readLock().lock();
			try {
				action.run();
				done = true;
			}
			finally {
				this.open.readLock().unlock();
			}
		}
		finally {
			// A close that did not wait for this call leaves the rest to it.
			if (!done || this.closed) {
				shut();
			}
		}
	}

	private void append(List<byte[]> contents) {
		RecordLog log = this.log;
		StoredPartition partition = this.partition;
		if (log == null || partition == null) {
			throw new HistoryException(CLOSED);
		}
		if (partition.next() != this.next && partition.next() != this.next + contents.size()) {
			throw changed(partition);
		}
		if (partition.next() == this.next) {
			for (byte[] content : contents) {
				log.append(partition, content);
			}
			log.flush(false, this.options.time().millis());
		}
		synchronized (this) {
			this.next = partition.next();
			notifyAll();
		}
	}

	private HistoryException changed(@Nullable StoredPartition partition) {
		return new HistoryException(
				"The journal has " + ((partition != null) ? partition.next() : 0) + " changes, although " + this.next
						+ " were written: the directory was replaced, or another process wrote to it");
	}

	private void reopen() {
		this.open.writeLock().lock();
		try {
			if (this.closed) {
				throw new HistoryException(CLOSED);
			}
			this.engine = this.engines.get();
			RecordLog log = new RecordLog(this.engine);
			this.log = log;
			this.partition = log.partition(this.key);
		}
		finally {
			this.open.writeLock().unlock();
		}
	}

	private void openForReaders() {
		try {
			reopen();
		}
		catch (RuntimeException ex) {
			logger.debug("Opening the journal failed; the next write opens it", ex);
		}
	}

	/** Opens the log, and determines whether the latest records were written. */
	private void adopt() {
		reopen();
		StoredPartition partition = this.partition;
		if (partition != null && partition.next() > this.next) {
			this.next = partition.next();
		}
	}

	private void shut() {
		this.open.writeLock().lock();
		try {
			RecordLog log = this.log;
			this.log = null;
			this.partition = null;
			if (log != null) {
				log.close();
			}
		}
		catch (DafkaException ex) {
			logger.debug("Closing the journal after a failure also failed", ex);
		}
		finally {
			this.open.writeLock().unlock();
		}
	}

	/** Removes old records, but never the latest, from which versions continue. */
	private void retain(long keep) {
		RecordLog log = this.log;
		long now = System.nanoTime();
		if (log != null && this.options.retains()
				&& now - this.retainedAt >= this.options.retentionInterval().toNanos()) {
			this.retainedAt = now;
			long oldest = this.options.time().millis() - this.options.retentionTime().toMillis();
			log.retain(oldest, Math.max(keep, this.options.retentionBytes()));
		}
	}

	/**
	 * Reads the records that have been written, starting at a sequence number. Skips
	 * unavailable records. Reads nothing while the disk fails.
	 */
	void read(long from, RecordLog.Reader reader) {
		this.open.readLock().lock();
		try {
			if (this.log != null && this.partition != null && from < this.next) {
				this.log.read(this.partition, from, reader);
			}
		}
		finally {
			this.open.readLock().unlock();
		}
	}

	/**
	 * Returns the latest record, or {@code null} if there never was one. After a failed
	 * write, opens the log to determine whether the records were written.
	 */
	byte @Nullable [] last() {
		beginWriting();
		try {
			return readLast();
		}
		finally {
			this.writing.unlock();
		}
	}

	private byte @Nullable [] readLast() {
		if (this.log == null) {
			adopt();
		}
		List<byte[]> found = new ArrayList<>();
		if (this.next > 0) {
			read(this.next - 1, (sequence, content) -> found.add(content));
			if (found.isEmpty()) {
				throw new HistoryException("The latest change of the history is missing, so versions cannot continue"
						+ " after it: use a new directory");
			}
		}
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Waits until the record has been written, the time has elapsed, the journal is
	 * closed, or the condition is true.
	 */
	synchronized void await(long sequence, long nanos, BooleanSupplier ended) throws InterruptedException {
		long end = System.nanoTime() + nanos;
		for (long left = nanos; left > 0 && this.next <= sequence && !this.closed
				&& !ended.getAsBoolean(); left = end - System.nanoTime()) {
			wait(Math.max(1, left / 1_000_000));
		}
	}

	/** Makes waiting threads check the condition that ends their wait. */
	synchronized void wake() {
		notifyAll();
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Closes the journal. Waits at most ten seconds for a write and for readers. If the
	 * disk does not respond, the write closes the journal when it returns.
	 */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			notifyAll();
		}
		if (!acquire(this.writing)) {
			reportHungDisk();
			return;
		}
		try {
			closeUnlessReaderWaits();
		}
		finally {
			this.writing.unlock();
		}
	}

	private void closeUnlessReaderWaits() {
		if (!acquire(this.open.writeLock())) {
			reportHungDisk();
			return;
		}
		try {
			shut();
		}
		finally {
			this.open.writeLock().unlock();
		}
	}

	private static void reportHungDisk() {
		logger.error(
				"Closing the history without waiting for its disk, which has not responded for {} s. Check the disk",
				PATIENCE_SECONDS);
	}

}
