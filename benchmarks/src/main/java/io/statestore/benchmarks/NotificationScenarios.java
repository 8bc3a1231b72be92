package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Scenarios of notifications: the time from a SET until the last listener is notified.
 * Each listener has its own connection.
 */
final class NotificationScenarios {

	private static final int MANY = 100;

	private final Servers servers;

	private final boolean quick;

	NotificationScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.quick = quick;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		scenarios.add(scenario("notification, from SET to the listener, 100 B", 1, 100));
		if (!this.quick) {
			scenarios.add(scenario("notification, from SET to the listener, 4096 B", 1, 4096));
		}
		scenarios.add(scenario("notification, from SET to the last of " + MANY + " listeners, 100 B", MANY, 100));
		return scenarios;
	}

	/** Compares this build of the standalone broker with an earlier one. */
	List<Scenario> builds(Path earlier) {
		int changes = 1_000;
		return List.of(new Scenario("notification, from SET to the listener, 100 B", "us",
				List.of(() -> new NotifiedImplementation("this build", changes, 1,
						(arrived) -> Notifiers.ours(this.servers.standalone(), 1, 100, arrived)),
						() -> new NotifiedImplementation("earlier build", changes, 1,
								(arrived) -> Notifiers.ours(this.servers.packaged(earlier), 1, 100, arrived)))));
	}

	private Scenario scenario(String name, int watchers, int size) throws IOException {
		int changes = (this.quick ? 1_000 : 3_000) / (9 + watchers) * 10;
		List<Implementation.Factory> implementations = new ArrayList<>();
		implementations.add(() -> new NotifiedImplementation("ours, embedded broker", changes, watchers,
				(arrived) -> Notifiers.ours(this.servers.embedded(), watchers, size, arrived)));
		implementations.add(() -> new NotifiedImplementation("ours, standalone broker", changes, watchers,
				(arrived) -> Notifiers.ours(this.servers.standalone(), watchers, size, arrived)));
		implementations.add(() -> new NotifiedImplementation("bare Paho publish, embedded broker", changes, watchers,
				(arrived) -> Notifiers.bare(this.servers.embedded(), watchers, size, arrived)));
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			implementations.add(() -> new NotifiedImplementation("Lettuce, PUBLISH on Redis", changes, watchers,
					(arrived) -> Notifiers.lettuce(redis.getAsInt(), false, watchers, size, arrived)));
			implementations.add(() -> new NotifiedImplementation("Lettuce, SET with keyspace event (no value)", changes,
					watchers, (arrived) -> Notifiers.lettuce(redis.getAsInt(), true, watchers, size, arrived)));
		}
		return new Scenario(name, "us", implementations);
	}

	/** Connects notifiers that run a callback on every arrival. */
	@FunctionalInterface
	private interface Opener {

		Notifiers open(Runnable arrived) throws Exception;

	}

	private static final class NotifiedImplementation implements Implementation {

		private final String name;

		private final int changes;

		private final int watchers;

		private final Notifiers notifiers;

		private volatile CountDownLatch missing = new CountDownLatch(0);

		NotifiedImplementation(String name, int changes, int watchers, Opener opener) throws Exception {
			this.name = name;
			this.changes = changes;
			this.watchers = watchers;
			this.notifiers = opener.open(() -> this.missing.countDown());
		}

		@Override
		public String name() {
			return this.name;
		}

		/** Returns the median in microseconds. */
		@Override
		public double measure() throws Exception {
			long[] nanos = new long[this.changes];
			for (int i = 0; i < nanos.length; i++) {
				CountDownLatch latch = new CountDownLatch(this.watchers);
				this.missing = latch;
				long start = System.nanoTime();
				CompletableFuture<?> done = this.notifiers.change();
				if (!latch.await(10, TimeUnit.SECONDS)) {
					throw new IllegalStateException(this.name + ": a notification is missing");
				}
				nanos[i] = System.nanoTime() - start;
				done.get(10, TimeUnit.SECONDS);
			}
			Arrays.sort(nanos);
			return nanos[nanos.length / 2] / 1000.0;
		}

		@Override
		public void close() throws Exception {
			this.notifiers.close();
		}

	}

}
