package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.client.mqtt.ConnectionOptions;

/**
 * Cost of rules and of TLS: calls on a broker with and without them, and messages from a
 * client to itself on our broker and on Mosquitto.
 */
final class SecurityScenarios {

	static final String USER = "ada";

	static final String PASSWORD = "sesame";

	private static final int OTHER_RULES = 19;

	private final Servers servers;

	private final Secured open = new Secured(Server.broker("ours, open"), false, false);

	private final Secured login;

	/** With 20 rules, the last of which permits the requests. */
	private final Secured rules;

	private final Secured tls;

	/** With TLS, a login, and rules. */
	final Secured all;

	private final Secured mosquitto = new Secured(Servers.MOSQUITTO, false, false);

	final Secured mosquittoTls;

	SecurityScenarios(Servers servers) throws IOException {
		this.servers = servers;
		Certificates certificates = servers.certificates;
		Path password = Files.writeString(servers.directory.resolve("password"), PASSWORD);
		String[] login = { "--user", USER, "--password-file", password.toString() };
		String[] rules = concat(login, "--rules", rules(servers.directory).toString());
		this.login = new Secured(Server.broker("ours, login", login), true, false);
		this.rules = new Secured(Server.broker("ours, login and rules", rules), true, false);
		this.tls = new Secured(Server.broker("ours, TLS", certificates.options()), false, true);
		String[] clients = concat(certificates.options(), "--tls-client-ca", certificates.certificate("ca").toString(),
				"--tls-client-auth", "want");
		this.all = new Secured(Server.broker("ours, TLS, login, and rules", concat(rules, clients)), true, true);
		this.mosquittoTls = new Secured(Server.mosquitto("Mosquitto, TLS", certificates.mosquitto()), false, true);
	}

	private static String[] concat(String[] options, String... more) {
		return Stream.of(options, more).flatMap(Stream::of).toArray(String[]::new);
	}

	private static Path rules(Path directory) throws IOException {
		StringBuilder rules = new StringBuilder();
		for (int i = 1; i <= OTHER_RULES; i++) {
			rules.append("user ").append(USER).append(" read,write key press-").append(i).append("/*\n");
		}
		rules.append("users read,write key benchmark/*\n");
		return Files.writeString(directory.resolve("rules"), rules);
	}

	List<Scenario> scenarios() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : List.of(Calls.Operation.GET, Calls.Operation.SET)) {
			Calls calls = new Calls(operation, 1, 100);
			Goal goal = Goal.atLeast(this.rules.server().name(), this.login.server().name(), 0.95);
			scenarios
				.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s", calls(calls, Measures::inFlight), goal));
			scenarios
				.add(new Scenario("sequential " + operation + ", 100 B", "us", calls(calls, Measures::sequential)));
		}
		String name = "message to itself, QoS 1, 100 B, ";
		scenarios.add(new Scenario(name + "256 in flight", "1/s", messages(Measures::inFlight)));
		scenarios.add(new Scenario(name + "sequential", "us", messages(Measures::sequential)));
		return scenarios;
	}

	private List<Peer> calls(Calls calls, Peer.Measure<Caller> measure) {
		return Stream.of(this.open, this.login, this.rules, this.tls, this.all)
			.map((secured) -> Peer.of(secured.server().name(), () -> calls.ours(secured.options(this.servers)),
					measure))
			.toList();
	}

	private List<Peer> messages(Peer.Measure<Caller> measure) {
		return Stream.of(this.open, this.tls, this.mosquitto, this.mosquittoTls)
			.filter((secured) -> secured.server().isInstalled())
			.map((secured) -> Peer.of(secured.server().name(),
					() -> BarePaho.toItself(secured.options(this.servers).build()), measure))
			.toList();
	}

	/** A server, and what its clients need. */
	record Secured(Server server, boolean requiresLogin, boolean usesTls) {

		ConnectionOptions.Builder options(Servers servers) throws IOException, InterruptedException {
			int port = servers.port(this.server);
			ConnectionOptions.Builder options = this.usesTls ? servers.tls(port) : Client.options(port);
			return this.requiresLogin ? options.username(USER).password(PASSWORD) : options;
		}

	}

}
