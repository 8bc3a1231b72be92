package io.statestore.client.observability;

import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLostException;
import org.jspecify.annotations.Nullable;

/** Outcome of an observed call. */
enum CallOutcome {

	/**
	 * The store has executed the command. This includes conditional writes that were not
	 * applied and keys that do not exist.
	 */
	SUCCESS("success"),

	/** The command was not sent, for example without a connection. */
	NOT_SENT("not-sent"),

	/**
	 * The command was sent, and there was no reply before its timeout or a disconnect.
	 */
	OUTCOME_UNKNOWN("outcome-unknown"),

	/** The store has refused the command. */
	REFUSED("refused"),

	/** The command can never be sent, for example because it is too large. */
	INVALID("invalid"),

	/** The lock that fences the write is no longer held. */
	LOCK_LOST("lock-lost"),

	/** The application has canceled the future of the call, or limited its time. */
	CANCELED("canceled"),

	/** Any other failure, for example in the conversion of a value. */
	FAILED("failed");

	private final String value;

	CallOutcome(String value) {
		this.value = value;
	}

	/** Returns the value of the key {@code outcome}. */
	String value() {
		return this.value;
	}

	/**
	 * Returns the outcome of a call that has ended.
	 * @param failure failure of the call, or {@code null} if it has succeeded
	 * @return the outcome
	 */
	static CallOutcome of(@Nullable Throwable failure) {
		if (failure == null) {
			return SUCCESS;
		}
		if (failure instanceof StateStoreNotSentException) {
			return NOT_SENT;
		}
		if (failure instanceof StateStoreOutcomeUnknownException) {
			return OUTCOME_UNKNOWN;
		}
		if (failure instanceof StateStoreRefusedException) {
			return REFUSED;
		}
		if (failure instanceof StateStoreInvalidRequestException) {
			return INVALID;
		}
		if (failure instanceof LockLostException) {
			return LOCK_LOST;
		}
		return (failure instanceof CancellationException || failure instanceof TimeoutException) ? CANCELED : FAILED;
	}

}
