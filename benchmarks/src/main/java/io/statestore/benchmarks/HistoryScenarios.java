package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import io.statestore.history.HistoryJournal;

import org.springframework.util.FileSystemUtils;

/**
 * Scenarios of SETs on brokers with and without a history, which run in this process.
 * Each broker is started on first use.
 */
final class HistoryScenarios implements AutoCloseable {

	private static final int KEYS = 10_000;

	private static final int IN_FLIGHT = 256;

	private static final int SEQUENTIAL_CALLS = 2_000;

	private final List<AutoCloseable> running = new ArrayList<>();

	private final Map<Setup, Integer> ports = new EnumMap<>(Setup.class);

	List<Scenario> all() {
		return List.of(
				new Scenario("history: SET, 100 B, 256 in flight", "1/s",
						implementations((caller) -> CallMeasures.inFlight(caller, IN_FLIGHT))),
				new Scenario("history: sequential SET, 100 B", "us",
						implementations((caller) -> CallMeasures.sequential(caller, SEQUENTIAL_CALLS))));
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
		StateStoreBrokerBuilder broker = StateStoreBroker.builder();
		if (setup.durable) {
			broker.storage(StorageOptions.in(directory.resolve("data")));
		}
		if (setup.history) {
			broker.journal(startJournal(setup, directory));
		}
		StateStoreBroker started = broker.start();
		this.running.add(started);
		return started.port();
	}

	private HistoryJournal startJournal(Setup setup, Path directory) {
		HistoryJournal.Builder journal = HistoryJournal.builder(directory.resolve("history"));
		if (setup.network) {
			Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
			this.running.add(tower);
			NodeOptions network = NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build();
			journal.network(network);
			if (setup.store) {
				this.running.add(Store.builder(network).directory(directory.resolve("store")).start());
			}
		}
		HistoryJournal started = journal.start();
		this.running.add(started);
		return started;
	}

	@Override
	public void close() throws Exception {
		for (int i = this.running.size() - 1; i >= 0; i--) {
			this.running.get(i).close();
		}
	}

	/** A broker and its history. */
	private enum Setup {

		NONE("no history", false, false, false, false),

		HISTORY("history", true, false, false, false),

		NETWORK("history, on a network without other participants", true, true, false, false),

		STORE("history, and a Dafka store in the same process", true, true, true, false),

		DIRECTORY("directory, no history", false, false, false, true),

		DIRECTORY_AND_HISTORY("directory and history", true, false, false, true);

		private final String text;

		private final boolean history;

		private final boolean network;

		private final boolean store;

		private final boolean durable;

		Setup(String text, boolean history, boolean network, boolean store, boolean durable) {
			this.text = text;
			this.history = history;
			this.network = network;
			this.store = store;
			this.durable = durable;
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

}
