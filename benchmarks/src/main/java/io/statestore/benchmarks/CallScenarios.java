package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;

import io.statestore.client.mqtt.Transport;

/** Scenarios of calls, sequential and concurrent. */
final class CallScenarios {

	private final Servers servers;

	private final boolean quick;

	CallScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.quick = quick;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		List<Operation> operations = this.quick ? List.of(Operation.GET) : List.of(Operation.values());
		for (Operation operation : operations) {
			scenarios.add(sequential(operation, 100));
			scenarios.add(inFlight(operation, 100, 256, 1));
		}
		if (!this.quick) {
			for (Operation operation : List.of(Operation.GET, Operation.SET)) {
				scenarios.add(sequential(operation, 4096));
				scenarios.add(inFlight(operation, 4096, 256, 1));
			}
			scenarios.add(inFlight(Operation.GET, 100, 16, 1));
			scenarios.add(inFlight(Operation.GET, 100, 64, 1));
		}
		scenarios.add(inFlight(Operation.GET, 100, 256, 8));
		scenarios.add(new Scenario("GET, 100 B, after 20 ms of silence", "us",
				implementations(Operation.GET, 100, 1, CallMeasures::afterSilence)));
		scenarios.add(new Scenario("GET, 100 B, 64 blocking threads", "1/s",
				implementations(Operation.GET, 100, 1, (caller) -> CallMeasures.blocking(caller, 64, Thread::new))));
		Optional<ThreadFactory> virtualThreads = virtualThreads();
		if (virtualThreads.isPresent()) {
			scenarios.add(new Scenario("GET, 100 B, 64 blocking virtual threads", "1/s", implementations(Operation.GET,
					100, 1, (caller) -> CallMeasures.blocking(caller, 64, virtualThreads.get()))));
		}
		return scenarios;
	}

	/**
	 * Compares this build of the standalone broker with an earlier one.
	 * @param directory an existing directory on a disk
	 */
	List<Scenario> builds(Path earlier, Path directory) throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		Implementations durable = new Implementations(1, this::sequential);
		String jar = StateStoreNodes.executable();
		durable.add("this build", () -> Callers.template(this.servers.durable(jar, directory.resolve("this")),
				Transport.NETTY, Operation.SET, 100));
		durable.add("earlier build",
				() -> Callers.template(this.servers.durable(earlier.toString(), directory.resolve("earlier")),
						Transport.NETTY, Operation.SET, 100));
		scenarios.add(new Scenario("sequential SET, 100 B, with a directory", "us", durable.factories));
		for (Operation operation : Operation.values()) {
			scenarios.add(new Scenario("sequential " + operation + ", 100 B", "us",
					builds(earlier, operation, this::sequential)));
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s",
					builds(earlier, operation, (caller) -> CallMeasures.inFlight(caller, 256))));
		}
		return scenarios;
	}

	private List<Implementation.Factory> builds(Path earlier, Operation operation, Measure measure) {
		Implementations implementations = new Implementations(1, measure);
		implementations.add("this build",
				() -> Callers.template(this.servers.standalone(), Transport.NETTY, operation, 100));
		implementations.add("earlier build",
				() -> Callers.template(this.servers.packaged(earlier), Transport.NETTY, operation, 100));
		return implementations.factories;
	}

	private Scenario sequential(Operation operation, int size) throws IOException {
		return new Scenario("sequential " + operation + ", " + size + " B", "us",
				implementations(operation, size, 1, this::sequential));
	}

	private Scenario inFlight(Operation operation, int size, int count, int connections) throws IOException {
		String name = operation + ", " + size + " B, " + count + " in flight"
				+ ((connections > 1) ? " on " + connections + " connections" : "");
		return new Scenario(name, "1/s",
				implementations(operation, size, connections, (caller) -> CallMeasures.inFlight(caller, count)));
	}

	/** Returns a factory of virtual threads, empty before JDK 21. */
	private static Optional<ThreadFactory> virtualThreads() {
		try {
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			Object factory = Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
			return Optional.of((ThreadFactory) factory);
		}
		catch (ReflectiveOperationException ex) {
			return Optional.empty();
		}
	}

	private List<Implementation.Factory> implementations(Operation operation, int size, int connections,
			Measure measure) throws IOException {
		Implementations implementations = new Implementations(connections, measure);
		implementations.add("ours, embedded broker", () -> Callers.template(this.servers.embedded(), operation, size));
		implementations.add("ours on Netty, embedded broker",
				() -> Callers.template(this.servers.embedded(), Transport.NETTY, operation, size));
		implementations.add("ours, standalone broker",
				() -> Callers.template(this.servers.standalone(), operation, size));
		implementations.add("bare Paho, embedded broker", () -> bare(
				new BarePahoCaller(this.servers.embedded(), operation.request(size), operation.timestamp())));
		implementations.add("bare HiveMQ client, embedded broker",
				() -> new BareHiveMqCaller(this.servers.embedded(), operation.request(size), operation.timestamp()));
		OptionalInt mosquitto = this.servers.mosquitto();
		if (mosquitto.isPresent()) {
			implementations.add("ours, gateway on Mosquitto",
					() -> Callers.template(mosquitto.getAsInt(), operation, size));
		}
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			implementations.add("Lettuce on Redis", () -> Callers.lettuce(redis.getAsInt(), operation, size));
		}
		return implementations.factories;
	}

	private static Caller bare(BarePahoCaller bare) {
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

	private static Implementation of(String name, Caller caller, Measure measure) {
		return new Implementation() {

			@Override
			public String name() {
				return name;
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

	private double sequential(Caller caller) throws Exception {
		return CallMeasures.sequential(caller, this.quick ? 2000 : 3000);
	}

	/** Collects implementations with the same measure and number of connections. */
	private static final class Implementations {

		private final List<Implementation.Factory> factories = new ArrayList<>();

		private final int connections;

		private final Measure measure;

		Implementations(int connections, Measure measure) {
			this.connections = connections;
			this.measure = measure;
		}

		void add(String name, Callable<Caller> connect) {
			this.factories.add(() -> {
				List<Caller> callers = new ArrayList<>();
				for (int i = 0; i < this.connections; i++) {
					callers.add(connect.call());
				}
				return of(name, (this.connections == 1) ? callers.get(0) : Callers.inTurn(callers), this.measure);
			});
		}

	}

	/** Measures one round of a caller. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

}
