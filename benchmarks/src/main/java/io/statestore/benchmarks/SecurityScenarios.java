package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.mqtt.Tls;
import io.statestore.test.JavaProcess;
import io.statestore.test.Programs;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingFunction;

/**
 * Scenarios for the cost of rules and TLS: calls on a broker with and without them, and
 * messages from a client to itself on our broker and on Mosquitto. Other scenarios
 * measure the latency of a client with a login while other clients attack the broker from
 * the same machine, once at a rate that leaves processor time to spare and once at a rate
 * that does not. If latency is as high during an attack on another broker, the processors
 * are the cause, not our broker.
 */
record SecurityScenarios(Servers servers) {

	static final String USER = "ada";

	private static final String PASSWORD = "sesame";

	private static final int OTHER_RULES = 19;

	private static final int ROUNDS = 5;

	private static final Duration ROUND = Duration.ofSeconds(4);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private static final String QUIET = "quiet";

	/** Returns either the scenarios with attacks or the scenarios without. */
	List<Scenario> all(boolean attacks) throws IOException {
		Certificates certificates = this.servers.certificates;
		Path password = Files.writeString(this.servers.directory("password"), PASSWORD);
		Stream<String> others = IntStream.rangeClosed(1, OTHER_RULES)
			.mapToObj((press) -> "user " + USER + " read,write key press-" + press + '/' + '*');
		// The last of 20 rules permits the requests.
		Path permissions = Files.write(this.servers.directory("rules"),
				Stream.concat(others, Stream.of("users read,write key benchmark/" + '*')).toList());
		Server open = Server.broker("ours, open");
		Server login = open.with("ours, login", "--user", USER, "--password-file", password.toString());
		Server rules = login.with("ours, login and rules", "--rules", permissions.toString());
		Server tls = open.with("ours, TLS", certificates.options());
		Server all = rules.with("ours, TLS, login, and rules", certificates.options())
			.with("ours, TLS, login, and rules", "--tls-client-ca", certificates.certificate("ca"), "--tls-client-auth",
					"want");
		Server mosquittoTls = Server.mosquitto("Mosquitto, TLS", certificates.mosquitto());
		if (attacks) {
			return List.of(underAttack(100, all, mosquittoTls), underAttack(640, all, mosquittoTls));
		}
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : Calls.Operation.values()) {
			Calls calls = new Calls(operation, 1, 100);
			List<Server> servers = List.of(open, login, rules, tls, all);
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s",
					peers(servers, calls::ours, Measures::inFlight), Goal.atLeast(rules.name(), login.name(), 0.95)));
			scenarios.add(new Scenario("sequential " + operation + ", 100 B", "us",
					peers(servers, calls::ours, Measures::sequential)));
		}
		List<Server> servers = List.of(open, tls, Servers.MOSQUITTO, mosquittoTls);
		String name = "message to itself, QoS 1, 100 B, ";
		Tls trusted = new Tls(certificates.context(null), true);
		for (boolean sequential : new boolean[] { false, true }) {
			Peer.Measure<Caller> measure = sequential ? Measures::sequential : Measures::inFlight;
			scenarios.add(new Scenario(name + (sequential ? "sequential" : "256 in flight"), sequential ? "us" : "1/s",
					servers.stream()
						.map((server) -> Peer.of(server,
								() -> BareNetty.toItself(this.servers.port(server),
										server.name().contains("TLS") ? trusted : null),
								measure))
						.toList()));
		}
		return scenarios;
	}

	private List<Peer> peers(List<Server> all, ThrowingFunction<ConnectionOptions.Builder, Caller> connect,
			Peer.Measure<Caller> measure) {
		return all.stream().map((server) -> Peer.of(server, () -> connect.apply(options(server)), measure)).toList();
	}

	private ConnectionOptions.Builder options(Server server) throws Exception {
		ConnectionOptions.Builder options = Client.options(this.servers.port(server));
		if (server.name().contains("TLS")) {
			options.tls(this.servers.certificates.tls());
		}
		return server.name().contains("login") ? options.username(USER).password(PASSWORD) : options;
	}

	private Scenario underAttack(int rate, Server ours, Server mosquitto) {
		List<Peer> peers = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		peers.add(underAttack(QUIET, null, rate, ours, ours));
		for (Attack attack : Attack.values()) {
			peers.add(underAttack(attack.toString(), attack, rate, ours, ours));
			goals.add(Goal.atMost(attack.toString(), QUIET, 2));
		}
		peers.add(underAttack("handshakes with Mosquitto", Attack.CONNECTS, rate, ours, mosquitto));
		return new Scenario(
				"SET of another client during at most " + rate + " attempts of attacks per second, 99th percentile",
				"us", peers, goals, ROUNDS);
	}

	private Peer underAttack(String name, @Nullable Attack attack, int rate, Server ours, Server target) {
		return new Peer(name, (resources) -> {
			Caller caller = resources.add(new Calls(Calls.Operation.SET, 1, 100).ours(options(ours)));
			if (attack == null) {
				return () -> Measures.percentile(caller, 0.99, Measures.lasting(ROUND), PAUSE);
			}
			BlockingQueue<String> attempts = new LinkedBlockingQueue<>();
			JavaProcess attacker = resources.add(start(attack, rate, this.servers.port(target), attempts::add));
			return () -> {
				long before = toggle(attacker, attempts);
				double latency = Measures.percentile(caller, 0.99, Measures.lasting(ROUND), PAUSE);
				System.out.println("  " + name + ": " + (toggle(attacker, attempts) - before) + " attempts");
				return latency;
			};
		}).on(target);
	}

	private JavaProcess start(Attack attack, int rate, int port, Consumer<String> lines) {
		JavaProcess.Builder attacker = Server.java(Attack.class)
			.arguments(attack.name(), port, this.servers.certificates.directory(), rate)
			.onLine(lines);
		if (Programs.find("nice").isPresent()) {
			attacker.through("nice", "-n", "19");
		}
		return attacker.start();
	}

	/** Starts or stops the attack and returns the number of attempts so far. */
	private static long toggle(JavaProcess attacker, BlockingQueue<String> attempts) throws InterruptedException {
		attacker.write("");
		return Long.parseLong(String.valueOf(attempts.poll(1, TimeUnit.MINUTES)));
	}

}
