package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

/**
 * Cost of rules and of TLS: calls on a broker with and without them, and messages from a
 * client to itself on our broker and on Mosquitto. Then the latency of a client with a
 * login, while other clients attack the broker from the same machine: at a rate that
 * leaves processor time, and at one that does not. Where an attack on another broker
 * takes as long, the processors are the cause, not ours.
 */
final class SecurityScenarios {

	static final String USER = "ada";

	private static final String PASSWORD = "sesame";

	private static final int OTHER_RULES = 19;

	private static final Duration ROUND = Duration.ofSeconds(4);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private static final String QUIET = "quiet";

	private final Servers servers;

	private final Server open = Server.broker("ours, open");

	private final Server login;

	/** With 20 rules, the last of which permits the requests. */
	private final Server rules;

	private final Server tls;

	/** With TLS, a login, and rules. */
	private final Server all;

	private final Server mosquittoTls;

	SecurityScenarios(Servers servers) throws IOException {
		this.servers = servers;
		String[] tls = servers.certificates.options();
		Path password = Files.writeString(servers.directory.resolve("password"), PASSWORD);
		String[] login = { "--user", USER, "--password-file", password.toString() };
		StringBuilder lines = new StringBuilder();
		for (int i = 1; i <= OTHER_RULES; i++) {
			lines.append("user ").append(USER).append(" read,write key press-").append(i).append('/').append("*\n");
		}
		lines.append("users read,write key benchmark/").append("*\n");
		Path rules = Files.writeString(servers.directory.resolve("rules"), lines);
		String[] all = { "--rules", rules.toString(), "--tls-client-ca",
				servers.certificates.certificate("ca").toString(), "--tls-client-auth", "want" };
		this.login = Server.broker("ours, login", login);
		this.rules = Server.broker("ours, login and rules", concat(login, "--rules", rules.toString()));
		this.tls = Server.broker("ours, TLS", tls);
		this.all = Server.broker("ours, TLS, login, and rules", concat(concat(tls, login), all));
		this.mosquittoTls = Server.mosquitto("Mosquitto, TLS", servers.certificates.mosquitto());
	}

	private static String[] concat(String[] options, String... more) {
		return Stream.of(options, more).flatMap(Stream::of).toArray(String[]::new);
	}

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : List.of(Calls.Operation.GET, Calls.Operation.SET)) {
			Calls calls = new Calls(operation, 1, 100);
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s", calls(calls, Measures::inFlight),
					Goal.atLeast(this.rules.name(), this.login.name(), 0.95)));
			scenarios
				.add(new Scenario("sequential " + operation + ", 100 B", "us", calls(calls, Measures::sequential)));
		}
		String name = "message to itself, QoS 1, 100 B, ";
		scenarios.add(new Scenario(name + "256 in flight", "1/s", messages(Measures::inFlight)));
		scenarios.add(new Scenario(name + "sequential", "us", messages(Measures::sequential)));
		scenarios.add(underAttack(100));
		scenarios.add(underAttack(640));
		return scenarios;
	}

	private List<Peer> calls(Calls calls, Peer.Measure<Caller> measure) {
		return Stream.of(this.open, this.login, this.rules, this.tls, this.all)
			.map((server) -> Peer.of(server.name(), () -> calls.ours(options(server)), measure))
			.toList();
	}

	private List<Peer> messages(Peer.Measure<Caller> measure) {
		return Stream.of(this.open, this.tls, Servers.MOSQUITTO, this.mosquittoTls)
			.filter(Server::isInstalled)
			.map((server) -> Peer.of(server.name(), () -> BarePaho.toItself(options(server).build()), measure))
			.toList();
	}

	private ConnectionOptions.Builder options(Server server) throws IOException, InterruptedException {
		ConnectionOptions.Builder options = Client.options(this.servers.port(server));
		if (server.name().contains("TLS")) {
			options.tls(new ConnectionOptions.Tls(this.servers.certificates.context(null).getSocketFactory(), true));
		}
		return server.name().contains("login") ? options.username(USER).password(PASSWORD) : options;
	}

	private Scenario underAttack(int rate) {
		List<Peer> peers = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		peers.add(underAttack(QUIET, null, rate, this.all));
		for (Attack attack : Attack.values()) {
			peers.add(underAttack(attack.toString(), attack, rate, this.all));
			goals.add(Goal.atMost(attack.toString(), QUIET, 2));
		}
		if (this.mosquittoTls.isInstalled()) {
			peers.add(underAttack("handshakes with Mosquitto", Attack.CONNECTS, rate, this.mosquittoTls));
		}
		return new Scenario(
				"SET of another client during at most " + rate + " attempts of attacks per second, 99th percentile",
				"us", peers, goals.toArray(Goal[]::new));
	}

	private Peer underAttack(String name, @Nullable Attack attack, int rate, Server target) {
		return new Peer(name, (resources) -> {
			Caller caller = resources.add(new Calls(Calls.Operation.SET, 1, 100).ours(options(this.all)));
			if (attack == null) {
				return () -> Measures.percentile(caller, 0.99, ROUND, PAUSE);
			}
			Process attacker = start(attack, rate, this.servers.port(target));
			resources.add(() -> attacker.destroyForcibly().waitFor());
			BufferedReader attempts = attacker.inputReader();
			return () -> {
				long before = toggle(attacker, attempts);
				double latency = Measures.percentile(caller, 0.99, ROUND, PAUSE);
				System.out.println("  " + name + ": " + (toggle(attacker, attempts) - before) + " attempts");
				return latency;
			};
		});
	}

	private Process start(Attack attack, int rate, int port) throws IOException {
		List<String> command = new ArrayList<>();
		if (ServerProcess.find("nice") != null) {
			command.addAll(List.of("nice", "-n", "19"));
		}
		command.addAll(ServerProcess.java("-Xmx256m", Attack.class.getName(), attack.name(), String.valueOf(port),
				this.servers.certificates.directory().toString(), String.valueOf(rate)));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	/** Starts or stops the attack, and returns the number of attempts so far. */
	private static long toggle(Process attacker, BufferedReader attempts) throws IOException {
		attacker.getOutputStream().write('\n');
		attacker.getOutputStream().flush();
		return Long.parseLong(String.valueOf(attempts.readLine()));
	}

}
