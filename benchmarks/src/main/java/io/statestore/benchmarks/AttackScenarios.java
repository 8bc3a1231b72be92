package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import org.jspecify.annotations.Nullable;

/**
 * Latency of a client with a login, while other clients attack the broker from the same
 * machine: at a rate that leaves processor time, and at one that does not. Where an
 * attack on another broker takes as long, the processors are the cause, not ours.
 */
final class AttackScenarios implements AutoCloseable {

	private static final Duration ROUND = Duration.ofSeconds(4);

	private static final int FEW = 100;

	private static final int MANY = 640;

	private static final Duration PAUSE = Duration.ofMillis(2);

	private final Path directory;

	private @Nullable ServerProcess server;

	/** A broker that the measured client does not use. */
	private @Nullable ServerProcess other;

	private @Nullable PlantKeys keys;

	AttackScenarios(Path directory) {
		this.directory = directory;
	}

	List<Scenario> all() {
		return List.of(scenario(FEW), scenario(MANY));
	}

	private Scenario scenario(int rate) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		implementations.add(() -> new UnderAttack(UnderAttack.QUIET, null, rate, this::server));
		for (Attack attack : Attack.values()) {
			implementations.add(() -> new UnderAttack(attack.toString(), attack, rate, this::server));
			goals.add(Goal.atMost(attack.toString(), UnderAttack.QUIET, 2));
		}
		if (SecuredServer.MOSQUITTO_TLS.isInstalled()) {
			implementations.add(() -> new UnderAttack("handshakes with Mosquitto", Attack.CONNECTS, rate, this::other));
		}
		return new Scenario(
				"SET of another client during at most " + rate + " attempts of attacks per second, 99th percentile",
				"us", implementations, goals);
	}

	private ServerProcess server() throws IOException, InterruptedException {
		if (this.server == null) {
			Path files = Files.createDirectories(this.directory.resolve("attacked"));
			this.server = SecuredServer.TLS_AND_RULES.start(files, keys());
		}
		return this.server;
	}

	private ServerProcess other() throws IOException, InterruptedException {
		if (this.other == null) {
			Path files = Files.createDirectories(this.directory.resolve("other"));
			this.other = SecuredServer.MOSQUITTO_TLS.start(files, keys());
		}
		return this.other;
	}

	private PlantKeys keys() throws IOException, InterruptedException {
		if (this.keys == null) {
			this.keys = PlantKeys.create(this.directory.resolve("attacked-keys"));
		}
		return this.keys;
	}

	private Client connect() throws IOException, InterruptedException {
		Tls tls = new Tls(keys().context(null).getSocketFactory(), true);
		return new Client(ConnectionOptions.builder()
			.host("localhost")
			.port(server().port())
			.username(SecuredServer.USER)
			.password(SecuredServer.PASSWORD)
			.tls(tls));
	}

	private Process startAttacker(Attack attack, int rate, int port) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		if (ServerProcess.find("nice") != null) {
			command.addAll(List.of("nice", "-n", "19"));
		}
		command.addAll(List.of(ServerProcess.java(), "-Xmx256m", "-cp", System.getProperty("java.class.path"),
				Attacker.class.getName(), attack.name(), String.valueOf(port), keys().directory().toString(),
				String.valueOf(rate)));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	@Override
	public void close() throws InterruptedException {
		if (this.server != null) {
			this.server.close();
		}
		if (this.other != null) {
			this.other.close();
		}
	}

	/** A client, and its attacker. */
	private final class UnderAttack implements Implementation {

		private static final String QUIET = "quiet";

		private final String name;

		private final Caller caller;

		private final @Nullable Process attacker;

		private final @Nullable BufferedReader attempts;

		UnderAttack(String name, @Nullable Attack attack, int rate, Callable<ServerProcess> target) throws Exception {
			this.name = name;
			this.caller = Callers.template(connect(), Operation.SET, 100);
			this.attacker = (attack != null) ? startAttacker(attack, rate, target.call().port()) : null;
			this.attempts = (this.attacker != null)
					? new BufferedReader(new InputStreamReader(this.attacker.getInputStream(), StandardCharsets.UTF_8))
					: null;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public double measure() throws Exception {
			long before = toggle();
			double latency = CallMeasures.percentile(this.caller, 0.99, ROUND, PAUSE);
			long attempts = toggle() - before;
			if (this.attacker != null) {
				System.out.println("  " + this.name + ": " + attempts + " attempts");
			}
			return latency;
		}

		/** Starts or stops the attack, and returns the number of attempts so far. */
		private long toggle() throws IOException {
			if (this.attacker == null || this.attempts == null) {
				return 0;
			}
			this.attacker.getOutputStream().write('\n');
			this.attacker.getOutputStream().flush();
			return Long.parseLong(String.valueOf(this.attempts.readLine()));
		}

		@Override
		public void close() throws Exception {
			if (this.attacker != null) {
				this.attacker.destroyForcibly().waitFor();
			}
			this.caller.close();
		}

	}

}
