package io.statestore.cluster.storage;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room on the disk for entries of the log. The log keeps space allocated ahead of its
 * end. While it cannot, the disk is full: the node accepts no more entries, and uses what
 * is left for entries in flight and for those of JRaft itself. Thread-safe.
 */
public final class Space {

	private static final Logger logger = LoggerFactory.getLogger(Space.class);

	/** What an entry takes besides its content, in bytes, at most. */
	private static final int ENTRY_BYTES = 64;

	/**
	 * Entries may reserve one of this many parts. The disk is full when half of the space
	 * is left, and half of that is for JRaft itself.
	 */
	private static final int RESERVED_PART = 4;

	/**
	 * Of this many parts, one remains for JRaft itself when other nodes send entries. A
	 * request of them has at most one more entry than one such part.
	 */
	private static final int KEPT_PART = 8;

	/** Time after which a request counts as lost, much longer than a write takes. */
	private static final long MAX_UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(15);

	/** Size up to which requests with entries may use the reserve of a full disk. */
	private static final int SMALL_BYTES = 4 << 10;

	private final int spareBytes;

	private final LongSupplier nanoTime;

	private final AtomicLong reserved = new AtomicLong();

	/** Entries that are applied, but not in the log of this node, by their index. */
	private final Queue<Applied> applied = new ArrayDeque<>();

	/** Index of the last entry in the log of this node. */
	private long stored;

	/**
	 * Requests with entries that other nodes have sent, until the answer, the oldest
	 * first.
	 */
	private final Set<Incoming> requests = new LinkedHashSet<>();

	/** Size of these requests, in bytes. */
	private long incoming;

	private volatile long allocated = Long.MAX_VALUE;

	private volatile boolean full;

	/**
	 * Creates an object for a log.
	 * @param spareBytes space to keep allocated, in bytes
	 */
	public Space(int spareBytes) {
		this(spareBytes, System::nanoTime);
	}

	Space(int spareBytes, LongSupplier nanoTime) {
		this.spareBytes = spareBytes;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the space that must be kept allocated for an entry of a size to be
	 * accepted.
	 * @param entryBytes size of the entry, in bytes
	 * @return the space, in bytes
	 */
	public static long minSpareBytes(int entryBytes) {
		return ((long) entryBytes + ENTRY_BYTES) * RESERVED_PART;
	}

	/**
	 * Returns the size of entries after which a request that sends them must end.
	 * @param spareBytes space to keep allocated, in bytes
	 * @return the size, in bytes
	 */
	public static int maxRequestBytes(int spareBytes) {
		return spareBytes / KEPT_PART;
	}

	int spareBytes() {
		return this.spareBytes;
	}

	/** Sets the space that is allocated. */
	void update(long allocated) {
		this.allocated = allocated;
		boolean full = allocated < this.spareBytes / 2;
		if (full != this.full) {
			this.full = full;
			if (full) {
				logger.error("The disk is full: this node accepts no more entries. Free space on the disk; "
						+ "the node continues by itself");
			}
			else {
				logger.info("There is space on the disk again");
			}
		}
	}

	/**
	 * Returns whether the disk is full.
	 * @return whether entries must be refused
	 */
	public boolean isFull() {
		return this.full;
	}

	/**
	 * Returns whether a full disk has room for entries without which the node cannot
	 * serve.
	 * @return {@code false} if what is left is for JRaft itself
	 */
	public boolean hasReserve() {
		return this.allocated >= this.spareBytes / 4;
	}

	/**
	 * Reserves room for a request with entries of another node. Several arrive before the
	 * first is in the log. If they needed more than there is, the log would wait, and the
	 * node could not even vote meanwhile.
	 * @param bytes size of the request
	 * @return returns the room after the answer, {@code null} if there is none
	 */
	public synchronized @Nullable Runnable admit(int bytes) {
		forgetUnanswered();
		if ((this.full && (bytes > SMALL_BYTES || !hasReserve()))
				|| this.incoming + bytes > this.allocated - maxRequestBytes(this.spareBytes)) {
			return null;
		}
		Incoming request = new Incoming(bytes, this.nanoTime.getAsLong());
		this.requests.add(request);
		this.incoming += bytes;
		return () -> answered(request);
	}

	private synchronized void answered(Incoming request) {
		if (this.requests.remove(request)) {
			this.incoming -= request.bytes;
		}
	}

	/** JRaft may lose a request, for example because memory is short. */
	private void forgetUnanswered() {
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

	/**
	 * Reserves room for an entry of this node.
	 * @param bytes size of the entry
	 * @return {@code false} if too much is in flight
	 */
	public boolean reserve(int bytes) {
		long cost = (long) bytes + ENTRY_BYTES;
		if (this.reserved.addAndGet(cost) > this.spareBytes / RESERVED_PART) {
			this.reserved.addAndGet(-cost);
			return false;
		}
		return true;
	}

	/**
	 * Returns the room of an entry that was applied, as soon as it is in the log of this
	 * node. A majority of the others may be faster, and JRaft keeps the entry in memory
	 * until then.
	 * @param index index of the entry, above that of the call before
	 * @param bytes size of the entry
	 */
	public synchronized void releaseStored(long index, int bytes) {
		if (index <= this.stored) {
			release(bytes);
		}
		else {
			this.applied.add(new Applied(index, bytes, this.nanoTime.getAsLong()));
		}
	}

	/** Sets the index of the last entry in the log. */
	synchronized void stored(long index) {
		this.stored = index;
		for (Applied first = this.applied.peek(); first != null
				&& first.index() <= index; first = this.applied.peek()) {
			this.applied.remove();
			release(first.bytes());
		}
	}

	/**
	 * Called when the log was opened, while no node keeps entries in memory.
	 * @param index index of its last entry
	 */
	synchronized void opened(long index) {
		stored(Long.MAX_VALUE);
		this.stored = index;
		this.requests.clear();
		this.incoming = 0;
	}

	/**
	 * Returns whether the disk of this node is slower than those of a majority.
	 * @param nanos time for which an applied entry may wait for the disk
	 * @return whether an entry has waited for longer
	 */
	public synchronized boolean isBehind(long nanos) {
		Applied first = this.applied.peek();
		return first != null && this.nanoTime.getAsLong() - first.since() > nanos;
	}

	/**
	 * Returns the room of an entry, which is in the log or was refused.
	 * @param bytes size of the entry
	 */
	public void release(int bytes) {
		this.reserved.addAndGet(-(long) bytes - ENTRY_BYTES);
	}

	/**
	 * An entry that is not in the log of this node yet.
	 *
	 * @param since time at which it was applied
	 */
	private record Applied(long index, int bytes, long since) {
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
