package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;

/** Creates the pages of a SCAN (protocol section 2), see {@link PageWalk}. */
final class Scanner {

	private static final int MAX_KEYS = 1_000;

	private static final int MAX_BYTES = 64 * 1024;

	private final KeySpace keys;

	Scanner(KeySpace keys) {
		this.keys = keys;
	}

	Reply.Page page(Command.Scan scan) {
		GlobPattern pattern = GlobPattern.of(scan.pattern());
		long position = PageWalk.toPosition(scan.token());
		Bytes literal = pattern.literal();
		if (literal != null) {
			KeyTable table = this.keys.table();
			Entry entry = table.find(table.hash(literal), literal);
			return new Reply.Page((entry != null && !this.keys.isExpired(entry)) ? List.of(entry.key()) : List.of(),
					null);
		}
		Walk walk = new Walk(pattern, position);
		walk.run();
		return new Reply.Page(walk.found, walk.token());
	}

	private final class Walk extends PageWalk {

		private final GlobPattern pattern;

		private final List<Bytes> found = new ArrayList<>();

		private int bytes;

		Walk(GlobPattern pattern, long position) {
			super(Scanner.this.keys, position);
			this.pattern = pattern;
		}

		@Override
		void visit(Entry entry) {
			if (Scanner.this.keys.isExpired(entry)) {
				return;
			}
			Bytes key = entry.key();
			if (this.pattern.matches(key)) {
				this.found.add(key);
				this.bytes += key.length();
			}
		}

		@Override
		long furtherSteps() {
			return this.pattern.steps();
		}

		@Override
		boolean hasRoom() {
			return this.found.size() < MAX_KEYS && this.bytes < MAX_BYTES;
		}

	}

}
