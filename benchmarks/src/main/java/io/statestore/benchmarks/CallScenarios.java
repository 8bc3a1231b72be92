package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.client.mqtt.Transport;

/** Calls, one after the other and many at once. */
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
				contestants(Operation.GET, 100, 1, this::afterSilence)));
		scenarios.add(new Scenario("GET, 100 B, 64 blocking threads", "1/s",
				contestants(Operation.GET, 100, 1, (caller) -> blocking(caller, 64, Thread::new))));
		Optional<ThreadFactory> virtualThreads = virtualThreads();
		if (virtualThreads.isPresent()) {
			scenarios.add(new Scenario("GET, 100 B, 64 blocking virtual threads", "1/s",
					contestants(Operation.GET, 100, 1, (caller) -> blocking(caller, 64, virtualThreads.get()))));
		}
		return scenarios;
	}

	/** Compares this build of the standalone broker with an earlier one. */
	List<Scenario> builds(Path earlier) {
		List<Scenario> scenarios = new ArrayList<>();
		for (Operation operation : Operation.values()) {
			scenarios.add(new Scenario("sequential " + operation + ", 100 B", "us",
					builds(earlier, operation, this::sequential)));
			scenarios.add(new Scenario(operation + ", 100 B, 256 in flight", "1/s",
					builds(earlier, operation, (caller) -> inFlight(caller, 256))));
		}
		return scenarios;
	}

	private List<Contestant.Factory> builds(Path earlier, Operation operation, Measure measure) {
		Contestants contestants = new Contestants(1, measure);
		contestants.add("this build",
				() -> Callers.template(this.servers.standalone(), Transport.HIVEMQ, operation, 100));
		contestants.add("earlier build",
				() -> Callers.template(this.servers.packaged(earlier), Transport.HIVEMQ, operation, 100));
		return contestants.factories;
	}

	private Scenario sequential(Operation operation, int size) throws IOException {
		return new Scenario("sequential " + operation + ", " + size + " B", "us",
				contestants(operation, size, 1, this::sequential));
	}

	private Scenario inFlight(Operation operation, int size, int count, int connections) throws IOException {
		String name = operation + ", " + size + " B, " + count + " in flight"
				+ ((connections > 1) ? " on " + connections + " connections" : "");
		return new Scenario(name, "1/s",
				contestants(operation, size, connections, (caller) -> inFlight(caller, count)));
	}

	/** Virtual threads, where the JDK has them. */
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

	private List<Contestant.Factory> contestants(Operation operation, int size, int connections, Measure measure)
			throws IOException {
		Contestants contestants = new Contestants(connections, measure);
		contestants.add("ours, embedded broker", () -> Callers.template(this.servers.embedded(), operation, size));
		contestants.add("ours on HiveMQ client, embedded broker",
				() -> Callers.template(this.servers.embedded(), Transport.HIVEMQ, operation, size));
		contestants.add("ours, standalone broker", () -> Callers.template(this.servers.standalone(), operation, size));
		contestants.add("bare Paho, embedded broker", () -> bare(
				new BarePahoCaller(this.servers.embedded(), operation.request(size), operation.timestamp())));
		contestants.add("bare HiveMQ client, embedded broker",
				() -> new BareHiveMqCaller(this.servers.embedded(), operation.request(size), operation.timestamp()));
		OptionalInt mosquitto = this.servers.mosquitto();
		if (mosquitto.isPresent()) {
			contestants.add("ours, gateway on Mosquitto",
					() -> Callers.template(mosquitto.getAsInt(), operation, size));
		}
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			contestants.add("Lettuce on Redis", () -> Callers.lettuce(redis.getAsInt(), operation, size));
		}
		return contestants.factories;
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

	private static Contestant of(String name, Caller caller, Measure measure) {
		return new Contestant() {

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

	/** The median of single calls, in microseconds. */
	private double sequential(Caller caller) throws Exception {
		long[] nanos = new long[this.quick ? 2000 : 3000];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/**
	 * As above, but all threads are asleep before each call. Measures a round trip of an
	 * idle application, the reference for the hand-over of a lock.
	 */
	private double afterSilence(Caller caller) throws Exception {
		long[] nanos = new long[30];
		for (int i = 0; i < nanos.length; i++) {
			Thread.sleep(20);
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/** Calls in a second. */
	private double inFlight(Caller caller, int count) throws Exception {
		Semaphore permits = new Semaphore(count);
		LongAdder done = new LongAdder();
		long duration = TimeUnit.MILLISECONDS.toNanos(500);
		long start = System.nanoTime();
		while (System.nanoTime() - start < duration) {
			permits.acquire();
			caller.call().whenComplete((reply, failure) -> {
				if (failure == null) {
					done.increment();
				}
				permits.release();
			});
		}
		long calls = done.sum();
		double seconds = (System.nanoTime() - start) / 1e9;
		permits.acquire(count);
		return calls / seconds;
	}

	private double blocking(Caller caller, int threads, ThreadFactory factory) throws Exception {
		LongAdder done = new LongAdder();
		CountDownLatch ended = new CountDownLatch(threads);
		long duration = TimeUnit.MILLISECONDS.toNanos(500);
		long start = System.nanoTime();
		Callable<Void> work = () -> {
			while (System.nanoTime() - start < duration) {
				caller.callAndWait();
				done.increment();
			}
			return null;
		};
		for (int i = 0; i < threads; i++) {
			factory.newThread(() -> {
				try {
					work.call();
				}
				catch (Exception ex) {
					ex.printStackTrace();
				}
				finally {
					ended.countDown();
				}
			}).start();
		}
		ended.await();
		return done.sum() / ((System.nanoTime() - start) / 1e9);
	}

	/** All with the same measure, and as many connections. */
	private static final class Contestants {

		private final List<Contestant.Factory> factories = new ArrayList<>();

		private final int connections;

		private final Measure measure;

		Contestants(int connections, Measure measure) {
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

	/** One round of one caller. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

}
