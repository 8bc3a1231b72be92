package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.history.StateHistory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Scenarios of SETs on brokers with a directory, with and without a history, which run in
 * this process. Each broker is started on first use.
 */
final class HistoryScenarios implements AutoCloseable {

	private static final int KEYS = 10_000;

	private static final int IN_FLIGHT = 256;

	private static final int SEQUENTIAL_CALLS = 2_000;

	private static final int READ_CHANGES = 1_000_000;

	private final List<AutoCloseable> running = new ArrayList<>();

	private final Map<Setup, Integer> ports = new EnumMap<>(Setup.class);

	List<Scenario> all() {
		return List.of(
				new Scenario("history: SET, 100 B, 256 in flight", "1/s",
						implementations((caller) -> CallMeasures.inFlight(caller, IN_FLIGHT))),
				new Scenario("history: sequential SET, 100 B", "us",
						implementations((caller) -> CallMeasures.sequential(caller, SEQUENTIAL_CALLS))),
				new Scenario("history: read 1,000,000 changes of 100 B", "1/s", List.of(this::reader)));
	}

	private Implementation reader() throws Exception {
		int port = start(Setup.HISTORY);
		try (Caller writer = KeyCallers.ours(port, KEYS)) {
			for (double written = 0; written < 1.1 * READ_CHANGES;) {
				// A round takes half a second.
				written += CallMeasures.inFlight(writer, IN_FLIGHT) / 2;
			}
		}
		return new HistoryReading(new Client(port));
	}

	private List<Implementation.Factory> implementations(Measure measure) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		for (Setup setup : Setup.values()) {
			implementations.add(() -> new HistoryImplementation(setup, KeyCallers.ours(port(setup), KEYS), measure));
		}
		return implementations;
	}

	private int port(Setup setup) throws IOException {
		Integer port = this.ports.get(setup);
		if (port == null) {
			port = start(setup);
			this.ports.put(setup, port);
		}
		return port;
	}

	private int start(Setup setup) throws IOException {
		// In the directory of the build, because /tmp may be in memory
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("benchmarks/target")), "history");
		this.running.add(() -> FileSystemUtils.deleteRecursively(directory));
		StateStoreBroker started = StateStoreBroker.builder()
			.storage(StorageOptions.in(directory).withFsync(setup.fsync).withHistory(setup.history))
			.start();
		this.running.add(started);
		return started.port();
	}

	@Override
	public void close() throws Exception {
		for (int i = this.running.size() - 1; i >= 0; i--) {
			this.running.get(i).close();
		}
	}

	/** A broker with a directory. */
	private enum Setup {

		NONE("no history", Fsync.INTERVAL, null),

		HISTORY("history", Fsync.INTERVAL, HistoryRetention.UNLIMITED),

		FORCED("no history, fsync=always", Fsync.ALWAYS, null),

		FORCED_HISTORY("history, fsync=always", Fsync.ALWAYS, HistoryRetention.UNLIMITED);

		private final String text;

		private final Fsync fsync;

		private final @Nullable HistoryRetention history;

		Setup(String text, Fsync fsync, @Nullable HistoryRetention history) {
			this.text = text;
			this.fsync = fsync;
			this.history = history;
		}

	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

	private record HistoryImplementation(Setup setup, Caller caller, Measure round) implements Implementation {

		@Override
		public String name() {
			return this.setup.text;
		}

		@Override
		public double measure() throws Exception {
			return this.round.of(this.caller);
		}

		@Override
		public void close() throws Exception {
			this.caller.close();
		}

	}

	/** Reads all changes, and measures their rate. */
	private record HistoryReading(Client client) implements Implementation {

		@Override
		public String name() {
			return "ours";
		}

		@Override
		public double measure() {
			StateHistory history = this.client.history();
			long start = System.nanoTime();
			long count = history.changes("*").count();
			if (count < READ_CHANGES) {
				throw new IllegalStateException("The history has " + count + " changes only");
			}
			return count * 1e9 / (System.nanoTime() - start);
		}

		@Override
		public void close() {
			this.client.close();
		}

	}

}
