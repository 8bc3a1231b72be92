package io.statestore.client;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * What became of a {@code delete} or {@code deleteIfEquals}.
 *
 * @param outcome what happened
 * @param version the version of the deletion, or of the different value that is stored;
 * {@code null} if the key was absent
 */
public record DeleteResult(Outcome outcome, @Nullable Version version) {

	/** Whether there was a key and it is gone now. */
	public boolean deleted() {
		return this.outcome == Outcome.DELETED;
	}

	/** What happened to the key. */
	public enum Outcome {

		/** The key is gone. */
		DELETED,

		/** There was no such key. */
		ABSENT,

		/** The key has another value than expected and was left alone. */
		DIFFERENT

	}

}
