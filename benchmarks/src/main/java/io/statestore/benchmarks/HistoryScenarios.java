package io.statestore.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.history.StateHistory;

/**
 * Scenarios of SETs on brokers with a directory, with and without a history, which run in
 * this process.
 */
final class HistoryScenarios {

	private static final int CHANGES = 1_000_000;

	private HistoryScenarios() {
	}

	static List<Scenario> all(Servers servers) {
		return List.of(new Scenario("history: SET, 100 B, 256 in flight", "1/s", peers(servers, Measures::inFlight)),
				new Scenario("history: sequential SET, 100 B", "us", peers(servers, Measures::sequential)),
				new Scenario("history: read 1,000,000 changes of 100 B", "1/s", List.of(Peer.of("ours", () -> {
					int port = start(servers, "history to read", Fsync.INTERVAL);
					try (Caller writer = Calls.SETS.ours(List.of(port))) {
						Measures.make(writer, CHANGES, Measures.IN_FLIGHT);
					}
					return new Client(port);
				}, HistoryScenarios::read))));
	}

	private static List<Peer> peers(Servers servers, Peer.Measure<Caller> measure) {
		return Stream.of("no history", "history", "no history, fsync=always", "history, fsync=always")
			.map((name) -> Peer.of(name, () -> {
				int port = start(servers, name, name.endsWith("always") ? Fsync.ALWAYS : Fsync.INTERVAL);
				return Calls.SETS.ours(List.of(port));
			}, measure))
			.toList();
	}

	private static int start(Servers servers, String name, Fsync fsync) {
		return servers.embedded(name,
				(broker) -> broker.storage(StorageOptions.in(servers.directory(name))
					.withFsync(fsync)
					.withHistory(name.startsWith("no") ? null : HistoryRetention.UNLIMITED)));
	}

	/** Reads all changes, and measures their rate. */
	private static double read(Client client) {
		StateHistory history = new StateHistory(client.connection, Duration.ofSeconds(10));
		long start = System.nanoTime();
		long count = history.changes("*").count();
		if (count < CHANGES) {
			throw new IllegalStateException("The history has " + count + " changes only");
		}
		return Measures.perSecond(count, start);
	}

}
