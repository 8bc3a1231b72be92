package io.statestore.cluster.transport;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.statestore.broker.log.SpareSpace;
import org.jspecify.annotations.Nullable;

/**
 * Admits entries and snapshots of other nodes while the disk has room for them. Several
 * requests with entries arrive before the first is in the log. If they needed more space
 * than there is, the log would wait, and the node could not even vote meanwhile.
 * Thread-safe.
 */
public final class DiskAdmission {

	/**
	 * One of this many parts of the spare space remains for JRaft itself. The entries of
	 * a request take at most one such part, except for the last one.
	 */
	private static final int KEPT_PART = 8;

	/** Time after which a request counts as lost, much longer than a write takes. */
	private static final long MAX_UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(15);

	/** Size up to which requests with entries may use the reserve of a full disk. */
	private static final int SMALL_BYTES = 4 << 10;

	private final SpareSpace spare;

	private final LongSupplier nanoTime;

	/** Requests with entries, until the answer, the oldest first. */
	private final Set<Incoming> requests = new LinkedHashSet<>();

	/** Size of these requests, in bytes. */
	private long incoming;

	/**
	 * Creates an object for a node.
	 * @param spare space of its log
	 */
	public DiskAdmission(SpareSpace spare) {
		this(spare, System::nanoTime);
	}

	DiskAdmission(SpareSpace spare, LongSupplier nanoTime) {
		this.spare = spare;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the size of entries after which a request that sends them must end.
	 * @param spareBytes space to keep allocated, in bytes
	 * @return the size, in bytes
	 */
	public static int maxRequestBytes(int spareBytes) {
		return spareBytes / KEPT_PART;
	}

	/** Returns whether to accept a snapshot. */
	boolean hasSpace() {
		return !this.spare.isFull();
	}

	/**
	 * Reserves room for a request with entries of the log.
	 * @param bytes size of the request
	 * @return releases the room after the answer, or {@code null} if there is none
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

	/** Returns the number of requests that have room. */
	synchronized int requests() {
		return this.requests.size();
	}

	private synchronized void answered(Incoming request) {
		if (this.requests.remove(request)) {
			this.incoming -= request.bytes;
		}
	}

	/**
	 * Releases the room of requests that JRaft has lost, for example when memory is
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

	/** Releases the room of all requests, because the node of JRaft has ended. */
	public synchronized void reset() {
		this.requests.clear();
		this.incoming = 0;
	}

	/** A request with entries of another node. Equal to no other. */
	private static final class Incoming {

		private final int bytes;

		private final long since;

		Incoming(int bytes, long since) {
			this.bytes = bytes;
			this.since = since;
		}

	}

}
