package io.statestore.broker.engine;

import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The {@link StateMachine}'s answer to a log entry or a command.
 *
 * @param reply the reply, which may be an error
 * @param version the value of {@code __ts} in the reply, or {@code null} if the reply has
 * none (protocol sections 1 and 10)
 */
public record Answer(Reply reply, @Nullable Version version) {

	static final Answer OK = new Answer(new Reply.Ok(), null);

	static final Answer MISSING = new Answer(new Reply.Missing(), null);

	static final Answer NOTHING = new Answer(new Reply.Count(0), null);

	private static final Reply STORED = OK.reply();

	private static final Reply DELETED = new Reply.Count(1);

	static Answer stored(Version version) {
		return new Answer(STORED, version);
	}

	static Answer deleted(Version version) {
		return new Answer(DELETED, version);
	}

	static Answer notApplied(Version stored) {
		return new Answer(Reply.Count.NOT_APPLIED, stored);
	}

	/**
	 * Returns the answer to a refused request. The store is unchanged.
	 * @param reason why the request was refused
	 * @return an answer without a version
	 */
	public static Answer refused(ErrorReason reason) {
		return new Answer(new Reply.Error(reason), null);
	}

}
