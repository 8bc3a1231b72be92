package io.statestore.client;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Result of {@code delete} or {@code deleteIfEquals}.
 *
 * @param outcome whether the key was deleted, absent, or had another value
 * @param version version of the deletion, or of the different stored value; {@code null}
 * if the key was absent
 */
public record DeleteResult(Outcome outcome, @Nullable Version version) {

	/**
	 * Returns whether the key was deleted.
	 * @return {@code true} for {@link Outcome#DELETED}
	 */
	public boolean deleted() {
		return this.outcome == Outcome.DELETED;
	}

	/** Outcome of a deletion. */
	public enum Outcome {

		/** The key existed and was deleted. */
		DELETED,

		/** The key did not exist. */
		ABSENT,

		/** The key's value differs from the expected value; the key was not deleted. */
		DIFFERENT

	}

}
