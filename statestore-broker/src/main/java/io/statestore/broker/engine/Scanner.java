package io.statestore.broker.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Creates the pages of a SCAN (protocol section 2). A token is the hash at which the next
 * page starts, so the server keeps no state for a scan. A client may abandon a scan at
 * any time. A key that exists from the first page to the last is in exactly one page.
 * <p>
 * A page ends at its maximum size, or after about a millisecond of work so that other
 * clients do not wait. A page may therefore be empty.
 */
final class Scanner {

	private static final int MAX_KEYS = 1_000;

	private static final int MAX_BYTES = 64 * 1024;

	private static final int MAX_STEPS = 300_000;

	/** Cost of visiting a key or a bucket, in steps of the pattern. */
	private static final int STEPS_PER_VISIT = 16;

	private final KeySpace keys;

	Scanner(KeySpace keys) {
		this.keys = keys;
	}

	Reply.Page page(Command.Scan scan) {
		GlobPattern pattern = GlobPattern.of(scan.pattern());
		long position = (scan.token() != null) ? toPosition(scan.token()) : 0;
		Bytes literal = pattern.literal();
		if (literal != null) {
			KeyTable table = this.keys.table();
			Entry entry = table.find(table.hash(literal), literal);
			return new Reply.Page((entry != null && !this.keys.isExpired(entry)) ? List.of(entry.key()) : List.of(),
					null);
		}
		return new Walk(pattern, position).toPage();
	}

	private static long toPosition(Bytes token) {
		if (token.length() != Integer.BYTES) {
			throw new ProtocolException(ErrorReason.SYNTAX_ERROR);
		}
		return Integer.toUnsignedLong(token.toByteBuffer().getInt());
	}

	private static @Nullable Bytes toToken(long position) {
		return (position == KeyTable.END) ? null
				: Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt((int) position).array());
	}

	private final class Walk {

		private final GlobPattern pattern;

		private final List<Bytes> found = new ArrayList<>();

		private long position;

		private int bytes;

		private long visits;

		Walk(GlobPattern pattern, long position) {
			this.pattern = pattern;
			this.position = position;
		}

		Reply.Page toPage() {
			KeyTable table = Scanner.this.keys.table();
			do {
				for (Entry entry = table.bucketAt(this.position); entry != null; entry = entry.nextInBucket) {
					visit(entry);
				}
				this.visits++;
				this.position = table.endOfBucket(this.position);
			}
			while (this.position < KeyTable.END && hasRoom());
			return new Reply.Page(this.found, toToken(this.position));
		}

		private void visit(Entry entry) {
			this.visits++;
			// If the table has shrunk, an earlier page may contain the start of the
			// bucket.
			boolean ahead = Integer.toUnsignedLong(entry.hash) >= this.position;
			if (!ahead || Scanner.this.keys.isExpired(entry)) {
				return;
			}
			Bytes key = entry.key();
			if (this.pattern.matches(key)) {
				this.found.add(key);
				this.bytes += key.length();
			}
		}

		private boolean hasRoom() {
			return this.found.size() < MAX_KEYS && this.bytes < MAX_BYTES
					&& this.visits * STEPS_PER_VISIT + this.pattern.steps() < MAX_STEPS;
		}

	}

}
