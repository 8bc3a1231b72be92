package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import org.jspecify.annotations.Nullable;

/** Creates the pages of a {@link LockQuery}, with the limits of a SCAN. */
final class LockScanner {

	private static final int MAX_LOCKS = 100;

	private static final int MAX_BYTES = 64 * 1024;

	private final KeySpace keys;

	private final long logTime;

	LockScanner(KeySpace keys, long logTime) {
		this.keys = keys;
		this.logTime = logTime;
	}

	LockStates page(LockQuery query) {
		GlobPattern pattern = GlobPattern.of(query.pattern());
		long position = PageWalk.toPosition(query.token());
		Bytes literal = pattern.literal();
		if (literal != null) {
			Entry entry = find(literal);
			return new LockStates((entry != null && isLock(entry, query.all())) ? List.of(describe(entry)) : List.of(),
					null);
		}
		Walk walk = new Walk(pattern, position, query.all());
		walk.run();
		return new LockStates(walk.found, walk.token());
	}

	/**
	 * Returns the holder of a successor lock: its client id, or its name if the client is
	 * unknown. Returns {@code null} if the successor lock is free.
	 */
	@Nullable String successor(Bytes lock) {
		Entry entry = find(LockNames.successor(lock));
		if (!(entry instanceof LeasedEntry leased) || !isHeld(leased)) {
			return null;
		}
		return (leased.clientId() != null) ? leased.clientId() : LockNames.holderName(leased.value()).toUtf8();
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

	private LockState describe(Entry entry) {
		LeasedEntry leased = (LeasedEntry) entry;
		Duration remaining = (entry.deadline() == TimerWheel.NEVER) ? null
				: Duration.ofMillis(entry.deadline()).minusNanos(this.logTime);
		return new LockState(entry.key(), entry.value(), entry.version(), leased.token(), leased.clientId(), remaining);
	}

	private final class Walk extends PageWalk {

		private final GlobPattern pattern;

		private final boolean all;

		private final List<LockState> found = new ArrayList<>();

		private int bytes;

		Walk(GlobPattern pattern, long position, boolean all) {
			super(LockScanner.this.keys, position);
			this.pattern = pattern;
			this.all = all;
		}

		@Override
		void visit(Entry entry) {
			if (isLock(entry, this.all) && this.pattern.matches(entry.key())) {
				this.found.add(describe(entry));
				this.bytes += entry.weight();
			}
		}

		@Override
		long patternSteps() {
			return this.pattern.steps();
		}

		@Override
		boolean hasRoom() {
			return this.found.size() < MAX_LOCKS && this.bytes < MAX_BYTES;
		}

	}

}
