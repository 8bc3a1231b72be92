package io.statestore.broker.engine;

import java.nio.ByteBuffer;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Walks through part of the key table for one page. The next page's token is the hash at
 * which it starts, so the server keeps no state between pages. A client may abandon a
 * walk at any time. A key that exists from the first page to the last is visited exactly
 * once.
 * <p>
 * A walk ends when the page is full, or after about a millisecond of work so that other
 * clients do not wait. A page may therefore be empty.
 */
abstract class PageWalk {

	private static final int MAX_STEPS = 300_000;

	/** Cost of visiting a key or a bucket, in pattern steps. */
	private static final int STEPS_PER_VISIT = 16;

	private final KeyTable table;

	private long position;

	private long visits;

	/**
	 * Creates a walk.
	 * @param position where to start, see {@link #toPosition}
	 */
	PageWalk(KeySpace keys, long position) {
		this.table = keys.table();
		this.position = position;
	}

	/**
	 * Returns the position of a token, or of the first page if the token is {@code null}.
	 * @throws ProtocolException if the token is malformed
	 */
	static long toPosition(@Nullable Bytes token) {
		if (token == null) {
			return 0;
		}
		if (token.length() != Integer.BYTES) {
			throw new ProtocolException(ErrorReason.SYNTAX_ERROR);
		}
		return Integer.toUnsignedLong(token.toByteBuffer().getInt());
	}

	/** Visits keys until the page is full or there are no more keys. */
	final void run() {
		do {
			for (Entry entry = this.table.bucketAt(this.position); entry != null; entry = this.table.next(entry)) {
				this.visits++;
				// If the table has shrunk, an earlier page may contain the start of the
				// bucket.
				if (Integer.toUnsignedLong(entry.hash) >= this.position) {
					visit(entry);
				}
			}
			this.visits++;
			this.position = this.table.endOfBucket(this.position);
		}
		while (this.position < KeyTable.END && hasRoom() && this.visits * STEPS_PER_VISIT + furtherSteps() < MAX_STEPS);
	}

	/** Returns the next page's token, or {@code null} after the last page. */
	final @Nullable Bytes token() {
		return (this.position == KeyTable.END) ? null
				: Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt((int) this.position).array());
	}

	/** Handles a key, which may have expired. */
	abstract void visit(Entry entry);

	/**
	 * Returns the number of steps in addition to the visits, such as for pattern
	 * matching.
	 */
	abstract long furtherSteps();

	/** Returns whether the page has room for another key. */
	abstract boolean hasRoom();

}
