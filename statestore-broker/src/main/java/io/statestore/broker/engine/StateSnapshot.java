package io.statestore.broker.engine;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a {@link StateMachine} as of the last entry applied before
 * {@link StateMachine#beginSnapshot()}. It is encoded in slices, between which the machine
 * may apply further entries. Used by the thread of the machine only.
 */
public final class StateSnapshot implements AutoCloseable {

	StateSnapshot() {
	}

	/**
	 * Encodes the next slice.
	 * @param size the approximate size in bytes. A slice may be empty, and may be larger
	 * by one entry and by the state that changed since the last call
	 * @return the slice, owned by the caller, or {@code null} after the last one
	 * @throws IllegalStateException if this snapshot is closed
	 */
	public @Nullable ByteBuffer next(int size) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Ends this snapshot, complete or not. The machine then keeps nothing for it. Has no
	 * effect if it is closed.
	 */
	@Override
	public void close() {
		throw new UnsupportedOperationException();
	}

}
