package io.statestore.broker.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

import io.statestore.broker.codec.Encoder;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.SessionsSnapshot;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a {@link StateMachine} as of the last entry applied before
 * {@link StateMachine#beginSnapshot()}. It is encoded in slices, between which the
 * machine may apply more entries. Used only by the machine's thread.
 * <p>
 * The keys are visited in hash order. A key that changes before its visit is encoded just
 * before the change, and is skipped when the visit reaches it. The replies and the MQTT
 * sessions follow.
 */
public final class StateSnapshot implements AutoCloseable {

	/** Latest format that can be restored. The first format has no principals. */
	static final int FORMAT = 3;

	/** Last format without sessions. */
	static final int FORMAT_WITHOUT_SESSIONS = 2;

	static final int KEY = 1;

	static final int CLIENT = 2;

	static final int REPLY = 3;

	static final int END = 4;

	static final int CLIENT_OF_PRINCIPAL = 5;

	static final int FENCED = 1;

	static final int EXPIRES = 1 << 1;

	static final int PERSISTENT = 1 << 2;

	static final int OWNED = 1 << 3;

	/** Maximum number of buckets to visit per call, so that requests do not wait. */
	private static final int MAX_VISITS = 8_192;

	/** Size of a slice of keys that changed before their visit. */
	private static final int SLICE = 1 << 16;

	private final KeySpace keys;

	private final Version begin;

	private final RequestMemory memory;

	private final RepliesSnapshot replies;

	private final Sessions sessions;

	/** {@code null} if there are no sessions to encode. */
	private final SessionsSnapshot sessionsSnapshot;

	/** Complete slices. */
	private final Deque<ByteBuffer> slices = new ArrayDeque<>();

	/** Total size of the complete slices. */
	private long keptBytes;

	private final Encoder encoder = new Encoder(2 * SLICE);

	/**
	 * First hash not visited yet, {@link KeyTable#END} after all keys have been visited.
	 */
	private long position;

	private boolean repliesEnded;

	private boolean ended;

	private boolean closed;

	StateSnapshot(KeySpace keys, VersionClock clock, Version lastChange, long maxLostMillis, RequestMemory memory,
			Sessions sessions) {
		this.keys = keys;
		this.begin = clock.last();
		this.memory = memory;
		this.replies = memory.beginSnapshot();
		this.sessions = sessions;
		this.sessionsSnapshot = sessions.beginSnapshot();
		this.encoder.writeByte(FORMAT)
			.writeLong(keys.logTime())
			.writeVersion(this.begin)
			.writeLong(clock.wallMillis())
			.writeLong(keys.table().seed())
			.writeByte(keys.table().bits())
			.writeNumber(keys.table().size())
			.writeNumber(keys.quota().maxKeys())
			.writeNumber(keys.quota().maxBytes())
			.writeNumber(memory.maxBytes())
			.writeNumber(memory.retentionNanos())
			.writeNumber(memory.lastOrder())
			.writeNumber(memory.lastRank())
			.writeNumber(lastChange.wallMillis())
			.writeNumber(lastChange.counter())
			.writeNumber(maxLostMillis)
			.writeNumber(keys.quota().maxKeysPerUser())
			.writeNumber(keys.quota().sessionMemory())
			.writeNumber(keys.quota().memoryPerSession());
	}

	/**
	 * Encodes the next slice.
	 * @param size the approximate size in bytes. A slice may be empty, and may exceed the
	 * size by one entry
	 * @return the slice, owned by the caller, or {@code null} after the last slice
	 * @throws IllegalStateException if this snapshot is closed
	 */
	public @Nullable ByteBuffer next(int size) {
		if (this.closed) {
			throw new IllegalStateException("The snapshot is closed");
		}
		ByteBuffer kept = this.slices.poll();
		if (kept != null) {
			this.keptBytes -= kept.remaining();
			return kept;
		}
		if (this.ended) {
			return null;
		}
		for (int i = 0; i < MAX_VISITS && this.encoder.size() < size && !this.ended; i++) {
			step();
		}
		return take();
	}

	private ByteBuffer take() {
		ByteBuffer slice = ByteBuffer.wrap(this.encoder.toArray());
		this.encoder.clear(2 * SLICE);
		return slice;
	}

	private void step() {
		if (this.position < KeyTable.END) {
			visitBucket();
		}
		else if (!this.repliesEnded) {
			if (!this.replies.encodeNext(this.encoder)) {
				this.encoder.writeByte(END);
				this.repliesEnded = true;
			}
		}
		else if (!this.sessionsSnapshot.encodeNext(this.encoder)) {
			this.ended = true;
			// Releases the sessions before the caller finishes the file.
			this.sessions.endSnapshot();
		}
	}

	private void visitBucket() {
		KeyTable table = this.keys.table();
		for (Entry entry = table.bucketAt(this.position); entry != null; entry = table.next(entry)) {
			if (isToBeVisited(entry)) {
				encode(entry);
			}
		}
		this.position = table.endOfBucket(this.position);
	}

	/**
	 * Encodes an entry that is about to change or be removed, unless it has been visited.
	 */
	void keep(Entry entry) {
		if (isToBeVisited(entry)) {
			encode(entry);
			if (this.encoder.size() >= SLICE) {
				ByteBuffer slice = take();
				this.keptBytes += slice.remaining();
				this.slices.add(slice);
			}
		}
	}

	private boolean isToBeVisited(Entry entry) {
		// If the table has shrunk, the start of a bucket may already have been visited.
		return Integer.toUnsignedLong(entry.hash) >= this.position && entry.isUpTo(this.begin);
	}

	private void encode(Entry entry) {
		Version fence = entry.fence();
		boolean expires = entry.deadline() != KeySpace.NEVER;
		Version version = entry.version();
		KeyOwner owner = entry.owner();
		this.encoder.writeByte(KEY)
			.writeByte((fence != null ? FENCED : 0) | (expires ? EXPIRES : 0) | (entry.isPersistent() ? PERSISTENT : 0)
					| (owner != null ? OWNED : 0))
			.writeBytes(entry.key())
			.writeBytes(entry.value())
			.writeNumber(version.wallMillis())
			.writeNumber(version.counter());
		if (fence != null) {
			this.encoder.writeVersion(fence);
		}
		if (expires) {
			this.encoder.writeNumber(entry.deadline());
		}
		if (owner != null) {
			this.encoder.writeString(owner.principal());
		}
	}

	/**
	 * Returns the memory that this snapshot holds for keys that changed before
	 * {@link #next} reached them.
	 * @return the size in bytes
	 */
	public long keptBytes() {
		return this.keptBytes + this.sessions.keptBytes();
	}

	/**
	 * Ends this snapshot, complete or not, after which the machine keeps no data for it.
	 * Has no effect if this snapshot is already closed.
	 */
	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			this.slices.clear();
			this.keptBytes = 0;
			this.keys.setSnapshot(null);
			this.memory.endSnapshot();
			this.sessions.endSnapshot();
		}
	}

}
