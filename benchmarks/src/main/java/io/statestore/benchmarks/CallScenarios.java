package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;

/**
 * Scenarios for sequential and concurrent calls.
 */
record CallScenarios(Servers servers) {

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (int size : new int[] { 100, 4096 }) {
			for (Calls.Operation operation : Calls.Operation.values()) {
				Calls calls = new Calls(operation, 1, size);
				String name = operation + ", " + size + " B";
				scenarios.add(scenario("sequential " + name, "us", calls, 1, Measures::sequential));
				scenarios.add(scenario(name + ", 256 in flight", "1/s", calls, 1, Measures::inFlight));
			}
		}
		Calls gets = new Calls(Calls.Operation.GET, 1, 100);
		scenarios.add(scenario("GET, 100 B, 256 in flight on 8 connections", "1/s", gets, 8, Measures::inFlight));
		scenarios.add(scenario("GET, 100 B, after 20 ms of silence", "us", gets, 1, Measures::afterSilence));
		scenarios.add(scenario("GET, 100 B, 64 blocking threads", "1/s", gets, 1, Measures::blocking));
		return scenarios;
	}

	private Scenario scenario(String name, String unit, Calls calls, int connections, Peer.Measure<Caller> measure) {
		BiFunction<String, Callable<Caller>, Peer> peer = (peerName, connect) -> Peer.of(peerName,
				() -> Caller.inTurn(connections, connect), measure);
		return new Scenario(name, unit, List.of(
				peer.apply("ours, embedded broker", () -> calls.ours(this.servers.embedded())),
				peer.apply("ours, standalone broker", () -> calls.ours(this.servers.port(Servers.STANDALONE))),
				peer.apply("bare connection, embedded broker", () -> BareNetty.caller(this.servers.embedded(), calls)),
				peer.apply("ours, gateway on Mosquitto", () -> calls.ours(this.servers.gateway()))
					.on(Servers.MOSQUITTO),
				peer.apply("Lettuce on Redis", () -> this.servers.connect(Servers.REDIS, calls)).on(Servers.REDIS)));
	}

	/**
	 * Returns scenarios that compare this build of the standalone broker with an earlier
	 * build.
	 */
	List<Scenario> builds() throws Exception {
		String earlier = String.valueOf(this.servers.earlier);
		List<Scenario> scenarios = new ArrayList<>();
		Server inMemory = Server.packaged("earlier build in memory", earlier);
		scenarios.add(builds("sequential SET, 100 B, with a directory", "us",
				Server.packaged("this build", Server.executable(), "--data-directory", Server.DATA),
				Server.packaged("earlier build on disk", earlier, "--data-directory", Server.DATA), Calls.Operation.SET,
				Measures::sequential));
		for (Calls.Operation operation : Calls.Operation.values()) {
			scenarios.add(builds("sequential " + operation + ", 100 B", "us", Servers.STANDALONE, inMemory, operation,
					Measures::sequential));
			scenarios.add(builds(operation + ", 100 B, 256 in flight", "1/s", Servers.STANDALONE, inMemory, operation,
					Measures::inFlight));
		}
		scenarios.add(NotificationScenarios.builds(this.servers, Servers.STANDALONE, inMemory));
		return scenarios;
	}

	private Scenario builds(String name, String unit, Server current, Server earlier, Calls.Operation operation,
			Peer.Measure<Caller> measure) {
		Calls calls = new Calls(operation, 1, 100);
		return new Scenario(name, unit,
				List.of(Peer.of("this build", () -> this.servers.connect(current, calls), measure),
						Peer.of("earlier build", () -> this.servers.connect(earlier, calls), measure)));
	}

}
