package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Several clients on several threads, with the data in memory. */
class LinearizabilityTests {

	private static final int CLIENTS = 3;

	private static final int COMMANDS = 5;

	@Test
	void repliesAreLinearizable() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try {
			int overlapping = 0;
			for (int round = 0; round < 1_500; round++) {
				List<Operation> history = run(threads, new Random(round));
				assertThat(LinearizabilityChecker.check(history)).as("round %s: %s", round, history).isEmpty();
				overlapping += Histories.overlaps(history) ? 1 : 0;
			}
			assertThat(overlapping).as("histories in which commands overlap").isGreaterThan(100);
		}
		finally {
			threads.shutdownNow();
		}
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
					commands.add(Histories.command(random));
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
		return Histories.operation(connection.clientId(), command, began, ended, new Received((OutgoingMessage) reply));
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

}
