package io.statestore.broker.linearizability;

import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The sequential specification of one key (protocol sections 2, 4, and 5). Does not share
 * code with the engine.
 *
 * @param value the value, or {@code null} if the key is absent
 * @param version version of the value, or {@code null} if not known yet
 * @param floor latest known version of the key, which every later version exceeds
 * @param token fencing token that protects the key, or {@code null} for none
 * @param deadline earliest time at which the key may expire
 */
record KeyState(@Nullable Bytes value, @Nullable Version version, @Nullable Version floor, @Nullable Version token,
		long deadline) {

	static final KeyState ABSENT = new KeyState(null, null, null, null, Operation.NEVER);

	/**
	 * Passes on all states in which an operation can leave the key. There are none if its
	 * reply cannot be explained, or if the reply is unknown and the operation would
	 * change nothing.
	 * @param operation the operation
	 * @param until latest time at which it can take effect
	 * @param result receives the states
	 */
	void after(Operation operation, long until, Consumer<KeyState> result) {
		accept(next(operation), result);
		if (this.deadline <= until) {
			accept(absent(this.floor).next(operation), result);
		}
	}

	private static void accept(@Nullable KeyState state, Consumer<KeyState> result) {
		if (state != null) {
			result.accept(state);
		}
	}

	private @Nullable KeyState next(Operation operation) {
		if (operation.reply() == null) {
			boolean changes = operation.command() instanceof Command.Write && !isFenced(operation);
			return changes ? executed(operation) : null;
		}
		if (operation.reply() instanceof Reply.Error error) {
			return explains(error.reason(), operation) ? this : null;
		}
		if (operation.command() instanceof Command.Get) {
			return afterGet(operation);
		}
		if (operation.command() instanceof Command.Set set && set.condition() == Condition.IF_VERSION
				&& (operation.reply() instanceof Reply.Value || operation.reply() instanceof Reply.Missing)) {
			// The command was refused. The value may have been read later, under another
			// fencing token.
			return expected(set).equals(operation.version()) ? null : afterGet(operation);
		}
		if (isFenced(operation)) {
			return null;
		}
		if (operation.hasChanged()) {
			return isAboveFloor(operation.version()) ? executed(operation) : null;
		}
		return isUnchanged(operation) ? bound(operation.version()) : null;
	}

	/**
	 * Returns whether an error is explained by this key. Errors unrelated to fencing have
	 * reasons outside this key.
	 */
	private boolean explains(ErrorReason reason, Operation operation) {
		return switch (reason) {
			case FENCING_TOKEN_REQUIRED -> isFenced(operation) && operation.token() == null;
			case FENCING_TOKEN_LOWER_VERSION -> isFenced(operation) && operation.token() != null;
			default -> true;
		};
	}

	private boolean isFenced(Operation operation) {
		return this.token != null && operation.command() instanceof Command.Write
				&& (operation.token() == null || operation.token().compareTo(this.token) < 0);
	}

	private @Nullable KeyState afterGet(Operation operation) {
		if (operation.reply() instanceof Reply.Value found) {
			return found.value().equals(this.value) ? bound(operation.version()) : null;
		}
		return (this.value == null) ? this : null;
	}

	/** Executes a write. Returns {@code null} if it would not change the key. */
	private @Nullable KeyState executed(Operation operation) {
		Version version = operation.version();
		Version newFloor = (version != null) ? version : this.floor;
		if (operation.command() instanceof Command.Set set && set.condition() == Condition.IF_VERSION) {
			return replaced(set, operation);
		}
		if (operation.command() instanceof Command.Increment increment) {
			long before = (this.value != null) ? Long.parseLong(this.value.toUtf8()) : 0;
			long sum = before + increment.delta();
			return (operation.reply() == null || new Reply.Count(sum).equals(operation.reply()))
					? new KeyState(Bytes.of(Long.toString(sum)), version, newFloor, operation.token(), this.deadline)
					: null;
		}
		if (operation.command() instanceof Command.Set set) {
			long expires = (set.expiry() != null) ? operation.invoked() + set.expiry().toNanos() : Operation.NEVER;
			return holds(set) ? new KeyState(set.value(), version, newFloor, operation.token(), expires) : null;
		}
		boolean applies = !(operation.command() instanceof Command.VDel vdel) || vdel.value().equals(this.value);
		return (this.value != null && applies) ? absent(newFloor) : null;
	}

	/**
	 * Executes a REPLACE. An unknown version may be the expected version. The key keeps
	 * its deadline unless the command has an expiry.
	 */
	private @Nullable KeyState replaced(Command.Set set, Operation operation) {
		KeyState before = (this.value != null) ? bound(expected(set)) : null;
		Version version = operation.version();
		if (before == null || !before.isAboveFloor(version)) {
			return null;
		}
		long expires = (set.expiry() != null) ? operation.invoked() + set.expiry().toNanos() : this.deadline;
		return new KeyState(set.value(), version, (version != null) ? version : before.floor, operation.token(),
				expires);
	}

	private static Version expected(Command.Set set) {
		return Version.parse(Objects.requireNonNull(set.expected()).toUtf8());
	}

	private boolean holds(Command.Set set) {
		return this.value == null || set.condition() == Condition.ALWAYS
				|| (set.condition() == Condition.IF_ABSENT_OR_EQUAL && set.value().equals(this.value));
	}

	private boolean isUnchanged(Operation operation) {
		if (operation.command() instanceof Command.Set set && set.condition() == Condition.IF_VERSION) {
			Version stored = (operation.version() != null) ? operation.version() : this.version;
			return Reply.Count.NOT_APPLIED.equals(operation.reply())
					? this.value != null && !expected(set).equals(stored) : this.value == null;
		}
		if (operation.command() instanceof Command.Set set) {
			return !holds(set);
		}
		if (Reply.Count.NOT_APPLIED.equals(operation.reply())) {
			return operation.command() instanceof Command.VDel vdel && this.value != null
					&& !vdel.value().equals(this.value);
		}
		return this.value == null;
	}

	/**
	 * Compares the stored version with a version in a request or reply, which may reveal
	 * it.
	 */
	private @Nullable KeyState bound(@Nullable Version seen) {
		if (seen == null || this.value == null || seen.equals(this.version)) {
			return this;
		}
		return (this.version == null && isAboveFloor(seen))
				? new KeyState(this.value, seen, seen, this.token, this.deadline) : null;
	}

	/** Accepts missing versions, so that histories without versions can be checked. */
	private boolean isAboveFloor(@Nullable Version candidate) {
		return candidate == null || this.floor == null || candidate.compareTo(this.floor) > 0;
	}

	private static KeyState absent(@Nullable Version floor) {
		return new KeyState(null, null, floor, null, Operation.NEVER);
	}

}
