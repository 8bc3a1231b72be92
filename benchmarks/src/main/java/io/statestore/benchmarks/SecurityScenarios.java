package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import javax.net.ssl.SSLContext;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.Tls;

/**
 * Cost of rules and of TLS: calls on a broker with and without them, and messages from a
 * client to itself on our broker and on Mosquitto. Each server runs in a process of its
 * own, and is started on first use.
 */
final class SecurityScenarios implements AutoCloseable {

	private static final int IN_FLIGHT = 256;

	private final Map<SecuredServer, ServerProcess> running = new EnumMap<>(SecuredServer.class);

	private final Path directory;

	private final PlantKeys keys;

	SecurityScenarios(Path directory) throws IOException, InterruptedException {
		this.directory = directory;
		this.keys = PlantKeys.create(directory.resolve("keys"));
	}

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Operation operation : List.of(Operation.GET, Operation.SET)) {
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s",
					calls(operation, (caller) -> CallMeasures.inFlight(caller, IN_FLIGHT)),
					List.of(Goal.atLeast(SecuredServer.RULES.toString(), SecuredServer.LOGIN.toString(), 0.95))));
			scenarios.add(new Scenario("sequential " + operation + ", 100 B", "us",
					calls(operation, (caller) -> CallMeasures.sequential(caller, 2_000))));
		}
		scenarios.add(new Scenario("message to itself, QoS 1, 100 B, 256 in flight", "1/s",
				messages((caller) -> CallMeasures.inFlight(caller, IN_FLIGHT))));
		scenarios.add(new Scenario("message to itself, QoS 1, 100 B, sequential", "us",
				messages((caller) -> CallMeasures.sequential(caller, 2_000))));
		return scenarios;
	}

	private List<Implementation.Factory> calls(Operation operation, Measure measure) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		for (SecuredServer server : List.of(SecuredServer.OPEN, SecuredServer.LOGIN, SecuredServer.RULES,
				SecuredServer.TLS, SecuredServer.TLS_AND_RULES)) {
			implementations.add(() -> implementation(server,
					() -> Callers.template(new Client(options(server)), operation, 100), measure));
		}
		return implementations;
	}

	private List<Implementation.Factory> messages(Measure measure) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		for (SecuredServer server : List.of(SecuredServer.OPEN, SecuredServer.TLS, SecuredServer.MOSQUITTO,
				SecuredServer.MOSQUITTO_TLS)) {
			if (server.isInstalled()) {
				implementations.add(() -> implementation(server, () -> echo(options(server).build()), measure));
			}
		}
		return implementations;
	}

	private static Caller echo(ConnectionOptions options) {
		try {
			BarePahoCaller bare = BarePahoCaller.toItself(options, new byte[100]);
			return new Caller() {

				@Override
				public java.util.concurrent.CompletableFuture<?> call() {
					return bare.call();
				}

				@Override
				public void close() {
					bare.close();
				}

			};
		}
		catch (Exception ex) {
			throw new IllegalStateException("No connection", ex);
		}
	}

	private Implementation implementation(SecuredServer server, Callable<Caller> connect, Measure measure)
			throws Exception {
		Caller caller = connect.call();
		return new Implementation() {

			@Override
			public String name() {
				return server.toString();
			}

			@Override
			public double measure() throws Exception {
				return measure.of(caller);
			}

			@Override
			public void close() throws Exception {
				caller.close();
			}

		};
	}

	private int port(SecuredServer server) throws IOException, InterruptedException {
		ServerProcess process = this.running.get(server);
		if (process == null) {
			process = server.start(Files.createDirectories(this.directory.resolve(server.name())), this.keys);
			this.running.put(server, process);
		}
		return process.port();
	}

	private ConnectionOptions.Builder options(SecuredServer server) throws IOException, InterruptedException {
		ConnectionOptions.Builder options = ConnectionOptions.builder().host("localhost").port(port(server));
		if (server.requiresLogin()) {
			options.username(SecuredServer.USER).password(SecuredServer.PASSWORD);
		}
		return server.usesTls() ? options.tlsFrom(this::tls) : options;
	}

	private Tls tls() {
		try {
			SSLContext context = this.keys.context(null);
			return new Tls(context.getSocketFactory(), true);
		}
		catch (IOException ex) {
			throw new IllegalStateException("The certificates cannot be read", ex);
		}
	}

	@Override
	public void close() throws InterruptedException {
		for (ServerProcess process : this.running.values()) {
			process.close();
		}
	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

}
