package io.statestore.broker.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/** Returns the contents of state machines, for comparison. */
final class Machines {

	private static final ChangeListener NO_LISTENER = (key, value, version, author) -> {
	};

	private Machines() {
	}

	static StateMachine create() {
		return new StateMachine(NO_LISTENER);
	}

	/**
	 * Returns the entire state. An uninterrupted snapshot is in table order, so equal
	 * states have equal bytes.
	 */
	static byte[] dump(StateMachine machine) {
		try (StateSnapshot snapshot = machine.beginSnapshot()) {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			for (ByteBuffer slice = snapshot.next(1 << 16); slice != null; slice = snapshot.next(1 << 16)) {
				bytes.write(slice.array(), slice.position(), slice.remaining());
			}
			return bytes.toByteArray();
		}
	}

	static StateMachine restore(byte[] snapshot) {
		return restore(snapshot, NO_LISTENER);
	}

	static StateMachine restore(byte[] snapshot, ChangeListener listener) {
		try {
			return StateMachine.restore(new ByteArrayInputStream(snapshot), listener);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Encodes an entry and decodes it again. */
	static LogEntry recode(LogEntry entry) {
		return LogEntryCodec.decode(ByteBuffer.wrap(LogEntryCodec.encode(entry)));
	}

	/** Returns all pages of a SCAN of all keys. */
	static List<Reply> scan(StateMachine machine) {
		List<Reply> pages = new ArrayList<>();
		@Nullable Bytes token = null;
		do {
			Reply.Page page = (Reply.Page) machine.read(new Command.Scan(Bytes.of("*"), token)).reply();
			pages.add(page);
			token = page.token();
		}
		while (token != null);
		return pages;
	}

	/** Returns all keys in SCAN order. */
	static List<Bytes> keys(StateMachine machine) {
		List<Bytes> keys = new ArrayList<>();
		scan(machine).forEach((page) -> keys.addAll(((Reply.Page) page).keys()));
		return keys;
	}

}
