package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several clients on several threads. For every short history there must be an order of
 * its commands that explains all replies and contradicts no clock (Wing and Gong,
 * "Testing and Verifying Concurrent Objects", 1993).
 */
class LinearizabilityTests {

	private static final Bytes[] KEYS = { Bytes.of("a"), Bytes.of("b") };

	private static final Bytes[] VALUES = { Bytes.of("1"), Bytes.of("2"), Bytes.of("3") };

	private static final int CLIENTS = 3;

	private static final int COMMANDS = 5;

	@Test
	void repliesAreLinearizable() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try {
			int overlapping = 0;
			for (int round = 0; round < 1_500; round++) {
				List<Operation> history = run(threads, new Random(round));
				assertThat(isExplained(history, new HashSet<>(), Map.of(), new HashSet<>()))
					.as("round %s: %s", round, history)
					.isTrue();
				overlapping += overlaps(history) ? 1 : 0;
			}
			assertThat(overlapping).as("histories in which commands overlap").isGreaterThan(100);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void checkRejectsImpossibleHistory() {
		Operation set = new Operation(new Command.Set(KEYS[0], VALUES[0]), 0, 1, new Reply.Ok());
		Operation lost = new Operation(new Command.Get(KEYS[0]), 2, 3, new Reply.Missing());
		Operation early = new Operation(new Command.Get(KEYS[0]), 0, 1, new Reply.Missing());
		assertThat(isExplained(List.of(set, lost), new HashSet<>(), Map.of(), new HashSet<>())).isFalse();
		assertThat(isExplained(List.of(set, early), new HashSet<>(), Map.of(), new HashSet<>())).isTrue();
	}

	private static List<Operation> run(ExecutorService threads, Random random) throws Exception {
		try (StateStoreServer server = new StateStoreServer()) {
			AtomicInteger clock = new AtomicInteger();
			CyclicBarrier start = new CyclicBarrier(CLIENTS);
			List<Future<List<Operation>>> futures = new ArrayList<>();
			for (int client = 0; client < CLIENTS; client++) {
				RecordingConnection connection = RecordingConnection.to(server, "client" + client);
				List<Command> commands = new ArrayList<>();
				for (int i = 0; i < COMMANDS; i++) {
					commands.add(command(random));
				}
				futures.add(threads.submit(() -> {
					start.await();
					List<Operation> history = new ArrayList<>();
					for (Command command : commands) {
						history.add(call(server, connection, command, clock));
					}
					return history;
				}));
			}
			return collect(futures);
		}
	}

	private static List<Operation> collect(List<Future<List<Operation>>> futures)
			throws InterruptedException, ExecutionException {
		List<Operation> history = new ArrayList<>();
		for (Future<List<Operation>> future : futures) {
			history.addAll(future.get());
		}
		return history;
	}

	/** Waits for the acknowledgment, because another thread may execute the command. */
	private static Operation call(StateStoreServer server, RecordingConnection connection, Command command,
			AtomicInteger clock) throws InterruptedException {
		IncomingRequest request = yielding(connection.draft(command).toRequest());
		int began = clock.getAndIncrement();
		server.request(request);
		Object reply = connection.events.poll(10, TimeUnit.SECONDS);
		int ended = clock.getAndIncrement();
		assertThat(connection.events.poll(10, TimeUnit.SECONDS)).isEqualTo(new Acknowledged(0));
		assertThat(reply).isInstanceOf(OutgoingMessage.class);
		return new Operation(command, began, ended, new Received((OutgoingMessage) reply).reply());
	}

	/** Yields to other threads while this one is in the server, even on few cores. */
	private static IncomingRequest yielding(IncomingRequest request) {
		return new IncomingRequest(request.connection(), request.qos(), request.responseTopic(),
				request.correlationData(), request.messageExpiry(), request.userProperties(), request.payload(),
				(reasonCode) -> {
					Thread.yield();
					request.acknowledgment().acknowledge(reasonCode);
				});
	}

	private static Command command(Random random) {
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

	private static boolean overlaps(List<Operation> history) {
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

	private record Operation(Command command, int began, int ended, Reply reply) {
	}

}
