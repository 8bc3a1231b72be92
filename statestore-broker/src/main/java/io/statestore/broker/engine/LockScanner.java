package io.statestore.broker.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import org.jspecify.annotations.Nullable;

/**
 * Creates the pages of a {@link LockQuery}. The limits are the same as for a SCAN, but
 * also include the answer's size and the work for each lock.
 */
final class LockScanner {

	private static final int MAX_LOCKS = 100;

	private static final int MAX_BYTES = 64 * 1024;

	/** Cost of a lock and its successor lock, in pattern steps. */
	private static final int STEPS_PER_LOCK = 400;

	/** Number of client name characters that are hashed or compared per step. */
	private static final int CHARACTERS_PER_STEP = 4;

	private final KeySpace keys;

	private final long logTime;

	private final LockVisitor visitor;

	LockScanner(KeySpace keys, long logTime, LockVisitor visitor) {
		this.keys = keys;
		this.logTime = logTime;
		this.visitor = visitor;
	}

	/**
	 * Visits the locks of a page and returns the next page's token, {@code null} after
	 * the last page.
	 */
	@Nullable Bytes page(LockQuery query) {
		GlobPattern pattern = GlobPattern.of(query.pattern());
		String token = query.token();
		long position = PageWalk
			.toPosition((token != null) ? Bytes.wrap(token.getBytes(StandardCharsets.ISO_8859_1)) : null);
		Bytes literal = pattern.literal();
		if (literal != null) {
			Entry entry = find(literal);
			if (entry != null && isLock(entry, query.all())) {
				this.visitor.visit(describe((LeasedEntry) entry), successor(literal));
			}
			return null;
		}
		Walk walk = new Walk(pattern, position, query.all());
		walk.run();
		return walk.token();
	}

	private @Nullable LockState successor(Bytes lock) {
		Entry entry = find(LockNames.successor(lock));
		return (entry instanceof LeasedEntry leased && isHeld(leased)) ? describe(leased) : null;
	}

	private @Nullable Entry find(Bytes key) {
		return this.keys.table().find(this.keys.table().hash(key), key);
	}

	private boolean isLock(Entry entry, boolean all) {
		return entry instanceof LeasedEntry leased && isHeld(leased) && leased.isLock(all)
				&& !LockNames.isSuccessor(leased.key());
	}

	private boolean isHeld(LeasedEntry entry) {
		return !KeySpace.isDue(entry, this.logTime) && entry.value().length() <= LockNames.MAX_HOLDER_LENGTH;
	}

	private LockState describe(LeasedEntry entry) {
		Duration remaining = (entry.deadline() == KeySpace.NEVER) ? null
				: Duration.ofMillis(entry.deadline()).minusNanos(this.logTime);
		return new LockState(entry.key(), entry.value(), entry.version(), entry.token(), entry.client(), remaining);
	}

	private final class Walk extends PageWalk {

		private final GlobPattern.Matcher pattern;

		private final boolean all;

		private int found;

		private long bytes;

		private long steps;

		Walk(GlobPattern pattern, long position, boolean all) {
			super(LockScanner.this.keys, position);
			this.pattern = pattern.matcher();
			this.all = all;
		}

		@Override
		void visit(Entry entry) {
			if (isLock(entry, this.all) && this.pattern.matches(entry.key())) {
				LockState lock = describe((LeasedEntry) entry);
				LockState successor = successor(lock.key());
				int size = LockScanner.this.visitor.visit(lock, successor);
				this.found++;
				this.bytes += size;
				this.steps += STEPS_PER_LOCK + size + steps(lock) + ((successor != null) ? steps(successor) : 0);
			}
		}

		private static int steps(LockState lock) {
			return (lock.client() != null) ? lock.client().length() / CHARACTERS_PER_STEP : 0;
		}

		@Override
		long furtherSteps() {
			return this.pattern.steps() + this.steps;
		}

		@Override
		boolean hasRoom() {
			return this.found < MAX_LOCKS && this.bytes < MAX_BYTES;
		}

	}

}
