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

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import org.jspecify.annotations.Nullable;

/**
 * Latency of a client with a login, while other clients attack the broker. Attackers run
 * in processes that the operating system serves only if nothing else needs the
 * processors, so that the measurement shows the work of the broker, not theirs.
 */
final class AttackScenarios implements AutoCloseable {

	private static final Duration ROUND = Duration.ofSeconds(4);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private final Path directory;

	private @Nullable ServerProcess server;

	private @Nullable PlantKeys keys;

	AttackScenarios(Path directory) {
		this.directory = directory;
	}

	List<Scenario> all() {
		List<Implementation.Factory> implementations = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		implementations.add(() -> new UnderAttack(null));
		for (Attack attack : Attack.values()) {
			implementations.add(() -> new UnderAttack(attack));
			goals.add(Goal.atMost(attack.toString(), UnderAttack.QUIET, 2));
		}
		return List
			.of(new Scenario("SET of another client under attack, 99th percentile", "us", implementations, goals));
	}

	private ServerProcess server() throws IOException, InterruptedException {
		if (this.server == null) {
			Path files = Files.createDirectories(this.directory.resolve("attacked"));
			this.server = SecuredServer.TLS_AND_RULES.start(files, keys());
		}
		return this.server;
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

	private Process startAttacker(Attack attack) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		if (ServerProcess.find("nice") != null) {
			command.addAll(List.of("nice", "-n", "19"));
		}
		command.addAll(List.of(ServerProcess.java(), "-Xmx256m", "-cp", System.getProperty("java.class.path"),
				Attacker.class.getName(), attack.name(), String.valueOf(server().port()),
				keys().directory().toString()));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	@Override
	public void close() throws InterruptedException {
		if (this.server != null) {
			this.server.close();
		}
	}

	/** A client, and its attacker. */
	private final class UnderAttack implements Implementation {

		private static final String QUIET = "quiet";

		private final @Nullable Attack attack;

		private final Caller caller;

		private final @Nullable Process attacker;

		private final @Nullable BufferedReader attempts;

		UnderAttack(@Nullable Attack attack) throws IOException, InterruptedException {
			this.attack = attack;
			this.caller = Callers.template(connect(), Operation.SET, 100);
			this.attacker = (attack != null) ? startAttacker(attack) : null;
			this.attempts = (this.attacker != null)
					? new BufferedReader(new InputStreamReader(this.attacker.getInputStream(), StandardCharsets.UTF_8))
					: null;
		}

		@Override
		public String name() {
			return (this.attack != null) ? this.attack.toString() : QUIET;
		}

		@Override
		public double measure() throws Exception {
			long before = toggle();
			double latency = CallMeasures.percentile(this.caller, 0.99, ROUND, PAUSE);
			long attempts = toggle() - before;
			if (this.attack != null) {
				System.out.println("  " + this.attack + ": " + attempts + " attempts");
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
