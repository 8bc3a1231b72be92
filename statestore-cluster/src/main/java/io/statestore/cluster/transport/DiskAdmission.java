package io.statestore.cluster.transport;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.statestore.broker.log.SpareSpace;
import org.jspecify.annotations.Nullable;

/**
 * Admits other nodes' entries and snapshots while the disk has room for them. Several
 * requests with entries can arrive before the first request's entries are in the log. If
 * they needed more space than is available, the log would wait, and the node could not
 * even vote in the meantime. Thread-safe.
 */
public final class DiskAdmission {

	/**
	 * Divisor of the spare space: an eighth of it is kept for JRaft itself. A request's
	 * entries, except for the last entry, also take at most an eighth.
	 */
	private static final int KEPT_PART = 8;

	/**
	 * How long until an unanswered request counts as lost. Much longer than a write
	 * takes.
	 */
	private static final long MAX_UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(15);

	/** Size up to which requests with entries may use the reserve of a full disk. */
	private static final int SMALL_BYTES = 4 << 10;

	private final SpareSpace spare;

	private final LongSupplier nanoTime;

	/** Unanswered requests with entries, beginning with the oldest. */
	private final Set<Incoming> requests = new LinkedHashSet<>();

	/** Total size of these requests, in bytes. */
	private long incoming;

	/**
	 * Creates an object without requests.
	 * @param spare spare space of the node's log
	 */
	public DiskAdmission(SpareSpace spare) {
		this(spare, System::nanoTime);
	}

	DiskAdmission(SpareSpace spare, LongSupplier nanoTime) {
		this.spare = spare;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the size of entries at which a request must not add more entries.
	 * @param spareBytes disk space to keep allocated for the log, in bytes
	 * @return the size, in bytes
	 */
	public static int maxRequestBytes(int spareBytes) {
		return spareBytes / KEPT_PART;
	}

	boolean hasSpace() {
		return !this.spare.isFull();
	}

	/**
	 * Reserves room for a request with log entries.
	 * @param bytes size of the request, in bytes
	 * @return a task that releases the room after the answer; {@code null} if there is no
	 * room
	 */
	synchronized @Nullable Runnable admit(int bytes) {
		releaseUnanswered();
		if (!this.spare.accepts(bytes <= SMALL_BYTES)
				|| this.incoming + bytes > this.spare.allocated() - maxRequestBytes(this.spare.bytes())) {
			return null;
		}
		Incoming request = new Incoming(bytes, this.nanoTime.getAsLong());
		this.requests.add(request);
		this.incoming += bytes;
		return () -> answered(request);
	}

	/** Returns the number of requests that currently hold room. */
	synchronized int requests() {
		return this.requests.size();
	}

	private synchronized void answered(Incoming request) {
		if (this.requests.remove(request)) {
			this.incoming -= request.bytes;
		}
	}

	/**
	 * Releases the room of requests that JRaft has lost, for example because memory was
	 * short.
	 */
	private void releaseUnanswered() {
		long now = this.nanoTime.getAsLong();
		for (Iterator<Incoming> oldest = this.requests.iterator(); oldest.hasNext();) {
			Incoming request = oldest.next();
			if (now - request.since <= MAX_UNANSWERED_NANOS) {
				return;
			}
			this.incoming -= request.bytes;
			oldest.remove();
		}
	}

	/** Releases the room of all requests, because the JRaft node has ended. */
	public synchronized void reset() {
		this.requests.clear();
		this.incoming = 0;
	}

	/** A request with entries from another node, compared by identity. */
	private static final class Incoming {

		private final int bytes;

		private final long since;

		Incoming(int bytes, long since) {
			this.bytes = bytes;
			this.since = since;
		}

	}

}
