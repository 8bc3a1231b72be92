package io.statestore.broker.server;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;

/**
 * Checks short histories of commands. There must be an order of the commands that explains
 * all replies and contradicts no clock (Wing and Gong, "Testing and Verifying Concurrent
 * Objects", 1993).
 */
final class Linearizability {

	private static final Bytes[] KEYS = { Bytes.of("a"), Bytes.of("b") };

	private static final Bytes[] VALUES = { Bytes.of("1"), Bytes.of("2"), Bytes.of("3") };

	private Linearizability() {
	}

	/** Returns a random command for one of two keys. */
	static Command command(Random random) {
		Bytes key = KEYS[random.nextInt(KEYS.length)];
		Bytes value = VALUES[random.nextInt(VALUES.length)];
		return switch (random.nextInt(6)) {
			case 0 -> new Command.Del(key);
			case 1 -> new Command.VDel(key, value);
			case 2 -> new Command.Set(key, value, Condition.IF_ABSENT, null);
			case 3 -> new Command.Set(key, value);
			default -> new Command.Get(key);
		};
	}

	/** Returns whether an empty store may have replied like this. */
	static boolean isExplained(List<Operation> history) {
		return isExplained(history, new HashSet<>(), Map.of(), new HashSet<>());
	}

	static boolean overlaps(List<Operation> history) {
		return history.stream()
			.anyMatch(
					(one) -> history.stream().anyMatch((other) -> one.began < other.began && other.began < one.ended));
	}

	/** Searches all orders depth first. Skips states that were tried before. */
	private static boolean isExplained(List<Operation> history, Set<Operation> done, Map<Bytes, Bytes> state,
			Set<List<Object>> tried) {
		if (done.size() == history.size()) {
			return true;
		}
		if (!tried.add(List.of(Set.copyOf(done), state))) {
			return false;
		}
		int firstEnd = history.stream()
			.filter((operation) -> !done.contains(operation))
			.mapToInt(Operation::ended)
			.min()
			.orElseThrow();
		for (Operation operation : history) {
			if (!done.contains(operation) && operation.began <= firstEnd) {
				Map<Bytes, Bytes> next = new HashMap<>(state);
				if (execute(operation.command, next).equals(operation.reply)) {
					done.add(operation);
					if (isExplained(history, done, next, tried)) {
						return true;
					}
					done.remove(operation);
				}
			}
		}
		return false;
	}

	private static Reply execute(Command command, Map<Bytes, Bytes> state) {
		if (command instanceof Command.Get get) {
			Bytes value = state.get(get.key());
			return (value != null) ? new Reply.Value(value) : new Reply.Missing();
		}
		Bytes key = ((Command.Write) command).key();
		Bytes stored = state.get(key);
		if (command instanceof Command.Set set) {
			if (set.condition() == Condition.IF_ABSENT && stored != null) {
				return Reply.Count.NOT_APPLIED;
			}
			state.put(key, set.value());
			return new Reply.Ok();
		}
		if (stored != null && command instanceof Command.VDel vdel && !vdel.value().equals(stored)) {
			return Reply.Count.NOT_APPLIED;
		}
		state.remove(key);
		return new Reply.Count((stored != null) ? 1 : 0);
	}

	record Operation(Command command, int began, int ended, Reply reply) {
	}

}
