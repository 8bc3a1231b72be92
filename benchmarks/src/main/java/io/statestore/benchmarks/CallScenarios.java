package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.client.mqtt.Transport;

/** Scenarios of calls, sequential and concurrent. */
final class CallScenarios {

	private CallScenarios() {
	}

	static List<Scenario> all(Servers servers) {
		List<Scenario> scenarios = new ArrayList<>();
		for (int size : new int[] { 100, 4096 }) {
			for (Calls.Operation operation : Calls.Operation.values()) {
				Calls calls = new Calls(operation, 1, size);
				String name = operation + ", " + size + " B";
				scenarios.add(scenario("sequential " + name, "us", servers, calls, 1, Measures::sequential));
				scenarios.add(scenario(name + ", 256 in flight", "1/s", servers, calls, 1, Measures::inFlight));
			}
		}
		Calls gets = new Calls(Calls.Operation.GET, 1, 100);
		scenarios
			.add(scenario("GET, 100 B, 256 in flight on 8 connections", "1/s", servers, gets, 8, Measures::inFlight));
		scenarios.add(scenario("GET, 100 B, after 20 ms of silence", "us", servers, gets, 1, Measures::afterSilence));
		scenarios.add(scenario("GET, 100 B, 64 blocking threads", "1/s", servers, gets, 1, Measures::blocking));
		return scenarios;
	}

	private static Scenario scenario(String name, String unit, Servers servers, Calls calls, int connections,
			Peer.Measure<Caller> measure) {
		List<Peer> peers = new ArrayList<>();
		Adder adder = (peer, connect) -> peers.add(Peer.of(peer, () -> connect(connect, connections), measure));
		adder.add("ours, embedded broker", () -> calls.ours(servers.embedded(), Transport.PAHO));
		adder.add("ours on Netty, embedded broker", () -> calls.ours(servers.embedded(), Client.FAST));
		adder.add("ours, standalone broker", () -> calls.ours(servers.port(Servers.STANDALONE), Transport.PAHO));
		adder.add("bare Paho, embedded broker", () -> BarePaho.caller(servers.embedded(), calls));
		adder.add("bare HiveMQ client, embedded broker", () -> BareHiveMq.caller(servers.embedded(), calls));
		if (Servers.MOSQUITTO.isInstalled()) {
			adder.add("ours, gateway on Mosquitto", () -> calls.ours(servers.gateway(), Transport.PAHO));
		}
		if (Servers.REDIS.isInstalled()) {
			adder.add("Lettuce on Redis", () -> servers.connect(Servers.REDIS, calls));
		}
		return new Scenario(name, unit, peers);
	}

	private static Caller connect(Callable<Caller> connect, int connections) throws Exception {
		List<Caller> callers = new ArrayList<>();
		for (int i = 0; i < connections; i++) {
			callers.add(connect.call());
		}
		return (connections == 1) ? callers.get(0) : Caller.inTurn(callers);
	}

	/** Returns scenarios of this build of the standalone broker and of an earlier one. */
	static List<Scenario> builds(Servers servers) throws Exception {
		String earlier = String.valueOf(servers.earlier);
		List<Scenario> scenarios = new ArrayList<>();
		scenarios.add(new Scenario("sequential SET, 100 B, with a directory", "us",
				builds(servers, Server.packaged("this build", Server.executable(), "--data-directory", Server.DATA),
						Server.packaged("earlier build", earlier, "--data-directory", Server.DATA),
						new Calls(Calls.Operation.SET, 1, 100), Measures::sequential)));
		Server inMemory = Server.packaged("earlier build in memory", earlier);
		for (Calls.Operation operation : Calls.Operation.values()) {
			Calls calls = new Calls(operation, 1, 100);
			scenarios.add(new Scenario("sequential " + operation + ", 100 B", "us",
					builds(servers, Servers.STANDALONE, inMemory, calls, Measures::sequential)));
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s",
					builds(servers, Servers.STANDALONE, inMemory, calls, Measures::inFlight)));
		}
		scenarios.add(NotificationScenarios.builds(servers, Servers.STANDALONE, inMemory));
		return scenarios;
	}

	private static List<Peer> builds(Servers servers, Server current, Server earlier, Calls calls,
			Peer.Measure<Caller> measure) {
		return List.of(Peer.of("this build", () -> servers.connect(current, calls), measure),
				Peer.of("earlier build", () -> servers.connect(earlier, calls), measure));
	}

	@FunctionalInterface
	private interface Adder {

		void add(String name, Callable<Caller> connect);

	}

}
