package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several clients of a store with a directory, whose server is killed or loses power
 * while they send requests. A client resends unanswered requests to the next server.
 */
class RestartLinearizabilityTests {

	private static final int CLIENTS = 3;

	private static final int COMMANDS = 6;

	private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

	@AfterEach
	void shutdown() {
		this.threads.shutdownNow();
	}

	@Test
	void repliesAreLinearizableAcrossRestarts() throws Exception {
		check(40);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void repliesAreLinearizableAcrossManyRestarts() throws Exception {
		check(1_500);
	}

	private void check(int rounds) throws Exception {
		int resent = 0;
		for (int round = 0; round < rounds; round++) {
			try (World world = new World(round)) {
				List<Operation> history = world.run(this.threads);
				assertThat(LinearizabilityChecker.check(history)).as("round %s: %s", round, history).isEmpty();
				assertThat(world.versions).as("round %s", round).doesNotHaveDuplicates();
				resent += world.resent.get();
			}
		}
		assertThat(resent).as("requests sent again").isGreaterThan(rounds / 10);
	}

	/**
	 * A store and its clients. Ends the store's server after a random number of requests.
	 */
	private static final class World implements AutoCloseable {

		private final Random random;

		private final RestartableStore store;

		private final AtomicInteger clock = new AtomicInteger();

		private final AtomicInteger sent = new AtomicInteger();

		private final AtomicInteger resent = new AtomicInteger();

		/** Versions of all changes whose replies have arrived. */
		private final List<Version> versions = new ArrayList<>();

		/** Incremented each time a server ends. Guarded by this object's monitor. */
		private int generation;

		World(int seed) {
			this.random = new Random(seed);
			this.store = new RestartableStore(seed);
			this.store.minLogBytes = 500;
		}

		List<Operation> run(ExecutorService threads) throws Exception {
			this.store.server();
			CyclicBarrier start = new CyclicBarrier(CLIENTS);
			List<Future<List<Operation>>> futures = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				String clientId = "client" + i;
				List<Command> commands = new ArrayList<>();
				for (int command = 0; command < COMMANDS; command++) {
					commands.add(Histories.command(this.random));
				}
				futures.add(threads.submit(() -> {
					start.await();
					return new Client(this, clientId).run(commands);
				}));
			}
			for (int end = 1; end <= 2; end++) {
				int count = end * this.random.nextInt(CLIENTS * COMMANDS / 2);
				while (this.sent.get() < count && !futures.stream().allMatch(Future::isDone)) {
					Thread.onSpinWait();
				}
				restart();
			}
			List<Operation> history = new ArrayList<>();
			for (Future<List<Operation>> future : futures) {
				history.addAll(future.get(30, TimeUnit.SECONDS));
			}
			return history;
		}

		private synchronized void restart() {
			this.generation++;
			this.store.wallMillis.addAndGet(-1_000);
			if (this.random.nextBoolean()) {
				this.store.kill();
			}
			else {
				this.store.cutPower();
			}
		}

		/** Returns the reply, or {@code null} if the server has ended. */
		private @Nullable OutgoingMessage await(RecordingConnection connection, int startedIn)
				throws InterruptedException {
			while (true) {
				Object event = connection.events.poll(1, TimeUnit.MILLISECONDS);
				synchronized (this) {
					if (this.generation != startedIn) {
						return null;
					}
				}
				if (event instanceof OutgoingMessage message) {
					return message;
				}
			}
		}

		@Override
		public void close() {
			this.store.close();
		}

	}

	/** A client with one request at a time. */
	private record Client(World world, String clientId) {

		List<Operation> run(List<Command> commands) throws InterruptedException {
			List<Operation> history = new ArrayList<>();
			for (Command command : commands) {
				history.add(call(command));
			}
			return history;
		}

		private Operation call(Command command) throws InterruptedException {
			int began = this.world.clock.getAndIncrement();
			Draft draft = null;
			while (true) {
				RecordingConnection connection;
				int generation;
				synchronized (this.world) {
					connection = this.world.store.connect(this.clientId);
					generation = this.world.generation;
				}
				if (draft == null) {
					draft = connection.draft(command);
				}
				else {
					draft = draft.resentBy(connection);
					this.world.resent.incrementAndGet();
				}
				connection.server().request(draft.toRequest());
				this.world.sent.incrementAndGet();
				OutgoingMessage reply = this.world.await(connection, generation);
				if (reply != null) {
					return ended(command, began, new Received(reply));
				}
			}
		}

		private Operation ended(Command command, int began, Received reply) {
			int ended = this.world.clock.getAndIncrement();
			Operation operation = Histories.operation(this.clientId, command, began, ended, reply);
			if (operation.hasChanged()) {
				synchronized (this.world.versions) {
					this.world.versions.add(reply.version());
				}
			}
			return operation;
		}

	}

}
