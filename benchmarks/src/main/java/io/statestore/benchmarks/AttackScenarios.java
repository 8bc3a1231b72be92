package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Latency of a client with a login, while other clients attack the broker from the same
 * machine: at a rate that leaves processor time, and at one that does not. Where an
 * attack on another broker takes as long, the processors are the cause, not ours.
 */
final class AttackScenarios {

	private static final Duration ROUND = Duration.ofSeconds(4);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private static final String QUIET = "quiet";

	private final Servers servers;

	private final SecurityScenarios.Secured server;

	/** A broker that the measured client does not use. */
	private final Server other;

	AttackScenarios(Servers servers, SecurityScenarios secured) {
		this.servers = servers;
		this.server = secured.all;
		this.other = secured.mosquittoTls.server();
	}

	Scenario scenario(int rate) {
		List<Peer> peers = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		peers.add(peer(QUIET, null, rate, this.server.server()));
		for (Attack attack : Attack.values()) {
			peers.add(peer(attack.toString(), attack, rate, this.server.server()));
			goals.add(Goal.atMost(attack.toString(), QUIET, 2));
		}
		if (this.other.isInstalled()) {
			peers.add(peer("handshakes with Mosquitto", Attack.CONNECTS, rate, this.other));
		}
		return new Scenario(
				"SET of another client during at most " + rate + " attempts of attacks per second, 99th percentile",
				"us", peers, goals.toArray(Goal[]::new));
	}

	private Peer peer(String name, @Nullable Attack attack, int rate, Server target) {
		return new Peer(name, (resources) -> {
			Caller caller = resources
				.add(new Calls(Calls.Operation.SET, 1, 100).ours(this.server.options(this.servers)));
			if (attack == null) {
				return () -> latency(caller);
			}
			Process attacker = startAttacker(attack, rate, this.servers.port(target));
			resources.add(() -> attacker.destroyForcibly().waitFor());
			BufferedReader attempts = attacker.inputReader();
			return () -> {
				long before = toggle(attacker, attempts);
				double latency = latency(caller);
				System.out.println("  " + name + ": " + (toggle(attacker, attempts) - before) + " attempts");
				return latency;
			};
		});
	}

	private static double latency(Caller caller) throws Exception {
		return Measures.percentile(caller, 0.99, ROUND, PAUSE);
	}

	private Process startAttacker(Attack attack, int rate, int port) throws IOException {
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
