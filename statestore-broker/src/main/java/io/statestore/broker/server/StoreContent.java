package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The content of a store in slices, between which the store may change. Every key that
 * does not change in the meantime is in exactly one slice, with its value.
 */
final class StoreContent {

	private static final Bytes ALL = Bytes.of("*");

	/** Reading a slice takes less than a millisecond. */
	private static final int SLICE_BYTES = 256 << 10;

	private final StateMachine machine;

	private final Deque<Bytes> keys = new ArrayDeque<>();

	private @Nullable Bytes token;

	private boolean ended;

	StoreContent(StateMachine machine) {
		this.machine = machine;
	}

	/**
	 * Returns the next slice, which may be empty.
	 * @param version the version of its changes
	 */
	List<Change> next(Version version) {
		if (this.keys.isEmpty() && !this.ended
				&& this.machine.read(new Command.Scan(ALL, this.token)).reply() instanceof Reply.Page page) {
			this.keys.addAll(page.keys());
			this.token = page.token();
			this.ended = this.token == null;
		}
		List<Change> slice = new ArrayList<>();
		for (int bytes = 0; bytes < SLICE_BYTES && !this.keys.isEmpty();) {
			Bytes key = this.keys.remove();
			Answer answer = this.machine.read(new Command.Get(key));
			Version keyVersion = answer.version();
			if (keyVersion != null && answer.reply() instanceof Reply.Value value) {
				slice.add(Change.present(key, value.value(), version, keyVersion));
				bytes += key.length() + value.value().length();
			}
		}
		return slice;
	}

	/** Returns whether {@link #next} has returned the last slice. */
	boolean isEnded() {
		return this.ended && this.keys.isEmpty();
	}

}
