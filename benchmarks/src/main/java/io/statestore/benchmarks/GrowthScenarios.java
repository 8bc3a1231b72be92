package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

import javax.net.SocketFactory;

/**
 * Scenarios for what becomes slower as a store grows: with keys, clients, clients that
 * watch one key, and topics of ordinary messages. Every size has a separate server.
 */
record GrowthScenarios(Servers servers) {

	private static final int[] KEYS = { 1_000, 100_000, 1_000_000 };

	private static final int[] CLIENTS = { 1, 100, 1_000, 10_000 };

	private static final int[] OBSERVERS = { 1, 100, 10_000 };

	private static final int[] TOPICS = { 0, 1, 10, 100 };

	/** Maximum number of Redis clients, because each client has its own threads. */
	private static final int MAX_REDIS_CLIENTS = 100;

	private static final int MESSAGES_PER_SECOND = 5_000;

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : Calls.Operation.values()) {
			String call = operation + ", 100 B, 256 in flight";
			Calls calls = new Calls(operation, 1, 100);
			scenarios.add(scenario(call + ", by keys", "1/s", KEYS, (keys) -> keys(operation, keys)));
			scenarios.add(scenario(call + ", by clients", "1/s", CLIENTS, (clients) -> clients(calls, clients)));
			scenarios.add(scenario(call + ", beside 5,000 messages/s, by topics", "1/s", TOPICS,
					(topics) -> List.of(besideMessages(calls, topics))));
		}
		scenarios.add(scenario("from SET to the last observer", "us", OBSERVERS, (observers) -> List
			.of(notifications(observers).bare(ours(observers).name(), () -> this.servers.port(ours(observers))))));
		scenarios.add(scenario("from PUBLISH to the last subscriber of Redis", "us", OBSERVERS,
				(observers) -> List.of(notifications(observers).redis(redis(observers).name(), redis(observers)))));
		return scenarios;
	}

	private static Scenario scenario(String name, String unit, int[] sizes, IntFunction<List<Peer>> peers) {
		List<Peer> all = new ArrayList<>();
		for (int size : sizes) {
			all.addAll(peers.apply(size));
		}
		return new Scenario(name, unit, all);
	}

	private List<Peer> keys(Calls.Operation operation, int keys) {
		Calls calls = new Calls(operation, keys, 100);
		Calls sets = new Calls(Calls.Operation.SET, keys, 100);
		return List.of(ours(keys), redis(keys)).stream().map((server) -> Peer.of(server, () -> {
			try (Caller caller = this.servers.connect(server, sets)) {
				Measures.make(caller, keys, Measures.IN_FLIGHT);
			}
			return this.servers.connect(server, calls);
		}, Measures::inFlight)).toList();
	}

	private List<Peer> clients(Calls calls, int clients) {
		Server ours = ours(clients);
		Server redis = redis(clients);
		List<Peer> peers = new ArrayList<>();
		peers.add(Peer.of(ours, () -> Caller.inTurn(clients, () -> BareNetty.caller(this.servers.port(ours), calls)),
				Measures::inFlight));
		if (clients <= MAX_REDIS_CLIENTS) {
			peers.add(Peer.of(redis, () -> Caller.inTurn(clients, () -> this.servers.connect(redis, calls)),
					Measures::inFlight));
		}
		return peers;
	}

	private Peer besideMessages(Calls calls, int topics) {
		Server ours = ours(topics);
		return new Peer(ours.name(), (resources) -> {
			int port = this.servers.port(ours);
			Caller caller = resources.add(calls.ours(port));
			return () -> {
				if (topics == 0) {
					return Measures.inFlight(caller);
				}
				try (MessageLoad load = new MessageLoad(SocketFactory.getDefault(), port, 1, 1, false, topics)) {
					load.start(MESSAGES_PER_SECOND);
					return Measures.inFlight(caller);
				}
			};
		});
	}

	private NotificationScenarios notifications(int observers) {
		return new NotificationScenarios(this.servers, observers, new byte[100]);
	}

	private static Server ours(int size) {
		return Server.broker(name("ours", size), "--max-connections-per-address", "20000", "--max-connections-per-user",
				"20000");
	}

	private static Server redis(int size) {
		return Servers.REDIS.with(name("Lettuce on Redis", size), "--maxclients", "20000");
	}

	private static String name(String store, int size) {
		return String.format(Locale.ROOT, "%s, %,d", store, size);
	}

}
