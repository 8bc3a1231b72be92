package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/** Creates SCAN pages (protocol section 2), see {@link PageWalk}. */
final class Scanner {

	private static final int MAX_KEYS = 1_000;

	private static final int MAX_BYTES = 64 * 1024;

	/** Cost of selecting a key in addition to its length, in pattern steps. */
	private static final int STEPS_PER_SELECTION = 128;

	private final KeySpace keys;

	Scanner(KeySpace keys) {
		this.keys = keys;
	}

	/**
	 * Returns a page.
	 * @param visible selects the keys to return, {@code null} for all
	 * @param logTime the current log time in nanoseconds
	 */
	Reply.Page page(Command.Scan scan, @Nullable KeySelection visible, long logTime) {
		GlobPattern pattern = GlobPattern.of(scan.pattern());
		long position = PageWalk.toPosition(scan.token());
		Bytes literal = pattern.literal();
		if (literal != null) {
			KeyTable table = this.keys.table();
			Entry entry = table.find(table.hash(literal), literal);
			if (entry == null || KeySpace.isDue(entry, logTime)
					|| (visible != null && !visible.includes(literal, (steps) -> {
					}))) {
				return new Reply.Page(List.of(), null);
			}
			return new Reply.Page(List.of(entry.key()), null);
		}
		Walk walk = new Walk(pattern, position, visible, logTime);
		walk.run();
		return new Reply.Page(walk.found, walk.token());
	}

	private final class Walk extends PageWalk {

		private final GlobPattern.Matcher pattern;

		private final List<Bytes> found = new ArrayList<>();

		private final @Nullable KeySelection visible;

		private final long logTime;

		private int bytes;

		/** Cost of the selections so far, in pattern steps. */
		private long selectionSteps;

		Walk(GlobPattern pattern, long position, @Nullable KeySelection visible, long logTime) {
			super(Scanner.this.keys, position);
			this.pattern = pattern.matcher();
			this.visible = visible;
			this.logTime = logTime;
		}

		@Override
		void visit(Entry entry) {
			if (KeySpace.isDue(entry, this.logTime)) {
				return;
			}
			Bytes key = entry.key();
			// A hidden key costs the same with every pattern. Otherwise, the tokens would
			// reveal which hidden keys match.
			if (isVisible(key) && this.pattern.matches(key)) {
				this.found.add(key);
				this.bytes += key.length();
			}
		}

		private boolean isVisible(Bytes key) {
			if (this.visible == null) {
				return true;
			}
			this.selectionSteps += STEPS_PER_SELECTION + key.length();
			return this.visible.includes(key, this::addSelectionSteps);
		}

		private void addSelectionSteps(long steps) {
			this.selectionSteps += steps;
		}

		@Override
		long furtherSteps() {
			return this.pattern.steps() + this.selectionSteps;
		}

		@Override
		boolean hasRoom() {
			return this.found.size() < MAX_KEYS && this.bytes < MAX_BYTES;
		}

	}

}
