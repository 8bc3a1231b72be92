package io.statestore.broker.crash;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;

/**
 * Kinds of requests, each of which must occur in a run. A request may be of several
 * kinds.
 */
public enum RequestKind {

	GET("GET", (operation) -> operation.command() instanceof Command.Get),

	SET("SET", (operation) -> hasCondition(operation, Condition.ALWAYS)),

	SET_IF_ABSENT("SET NX", (operation) -> hasCondition(operation, Condition.IF_ABSENT)),

	SET_IF_ABSENT_OR_EQUAL("SET NEX", (operation) -> hasCondition(operation, Condition.IF_ABSENT_OR_EQUAL)),

	REPLACE("REPLACE", (operation) -> hasCondition(operation, Condition.IF_VERSION)),

	REPLACE_NOT_APPLIED("REPLACE of another version, or of an absent key",
			(operation) -> hasCondition(operation, Condition.IF_VERSION) && operation.hasEnded()
					&& !operation.hasChanged() && !(operation.reply() instanceof Reply.Error)),

	INCRBY("INCRBY", (operation) -> operation.command() instanceof Command.Increment),

	DEL("DEL", (operation) -> operation.command() instanceof Command.Del),

	VDEL("VDEL", (operation) -> operation.command() instanceof Command.VDel),

	EXPIRING("with an expiry", (operation) -> operation.set() != null && operation.set().expiry() != null),

	FENCED("with a fencing token", (operation) -> operation.token() != null),

	STALE("refused because of a stale fencing token", RequestKind::isStale);

	private final String description;

	private final Predicate<Operation> condition;

	RequestKind(String description, Predicate<Operation> condition) {
		this.description = description;
		this.condition = condition;
	}

	/** Returns whether a request is of this kind. */
	boolean includes(Operation operation) {
		return this.condition.test(operation);
	}

	private static boolean hasCondition(Operation operation, Condition condition) {
		return operation.set() != null && operation.set().condition() == condition;
	}

	private static boolean isStale(Operation operation) {
		return operation.reply() instanceof Reply.Error error
				&& error.reason() == ErrorReason.FENCING_TOKEN_LOWER_VERSION;
	}

	/** Returns the number of requests of each kind. */
	static Map<RequestKind, Integer> count(List<Operation> operations) {
		Map<RequestKind, Integer> result = new EnumMap<>(RequestKind.class);
		Arrays.stream(values())
			.forEach((kind) -> result.put(kind, (int) operations.stream().filter(kind.condition).count()));
		return result;
	}

	@Override
	public String toString() {
		return this.description;
	}

}
