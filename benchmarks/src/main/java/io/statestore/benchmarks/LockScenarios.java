package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/** Scenarios of locks: uncontended, handed over, and with many waiters. */
final class LockScenarios {

	private static final int WAITERS = 50;

	/** Settling time until all waiters are waiting. */
	private static final long SETTLE_MILLIS = 200;

	private final Servers servers;

	private final boolean quick;

	LockScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.quick = quick;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		scenarios.add(new Scenario("lock and unlock, uncontended", "us", implementations(1, this::uncontended)));
		scenarios.add(new Scenario("hand-over of a lock to another process, from unlock() to the end of lock()", "us",
				implementations((name, kind, port) -> new HandOver(name, kind, port, this.quick))));
		scenarios.add(new Scenario(WAITERS + " waiters, a lock from the first to the last, per waiter", "us",
				implementations(WAITERS + 1, LockScenarios::crowd)));
		return scenarios;
	}

	private List<Implementation.Factory> implementations(int processes, Measure measure) throws IOException {
		return implementations(
				(name, kind, port) -> new LockImplementation(name, processes, () -> kind.open(port), measure));
	}

	private List<Implementation.Factory> implementations(Opener opener) throws IOException {
		List<Implementation.Factory> implementations = new ArrayList<>();
		implementations.add(() -> opener.open("ours, embedded broker", LockKind.OURS, this.servers.embedded()));
		implementations
			.add(() -> opener.open("ours on Netty, embedded broker", LockKind.OURS_ON_NETTY, this.servers.embedded()));
		int standalone = this.servers.standalone();
		implementations.add(() -> opener.open("ours, standalone broker", LockKind.OURS, standalone));
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			int port = redis.getAsInt();
			implementations.add(() -> opener.open("Redisson", LockKind.REDISSON, port));
			implementations.add(() -> opener.open("RedisLockRegistry, publish/subscribe",
					LockKind.REGISTRY_PUBLISH_SUBSCRIBE, port));
			implementations.add(() -> opener.open("RedisLockRegistry, spinning", LockKind.REGISTRY_SPINNING, port));
		}
		return implementations;
	}

	private double uncontended(List<Lock> locks, ExecutorService threads) {
		Lock lock = locks.get(0);
		long[] nanos = new long[this.quick ? 1000 : 5000];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			nanos[i] = System.nanoTime() - start;
		}
		return median(nanos);
	}

	private static double crowd(List<Lock> locks, ExecutorService threads) throws Exception {
		Lock first = locks.get(0);
		first.lock();
		List<Future<?>> waiters = new ArrayList<>();
		for (Lock lock : locks.subList(1, locks.size())) {
			waiters.add(threads.submit(() -> {
				lock.lock();
				lock.unlock();
			}));
		}
		Thread.sleep(SETTLE_MILLIS);
		long start = System.nanoTime();
		first.unlock();
		for (Future<?> waiter : waiters) {
			waiter.get();
		}
		return (System.nanoTime() - start) / 1000.0 / waiters.size();
	}

	private static double median(long[] nanos) {
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/** Opens one kind of locks on one server. */
	@FunctionalInterface
	private interface Opener {

		Implementation open(String name, LockKind kind, int port) throws Exception;

	}

	/** Measures one round of an implementation, with one lock per process. */
	@FunctionalInterface
	private interface Measure {

		double of(List<Lock> locks, ExecutorService threads) throws Exception;

	}

	/** Implementation with several clients, each with its own connection. */
	private static final class LockImplementation implements Implementation {

		private final List<Locks> processes = new ArrayList<>();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		private final String name;

		private final Measure measure;

		LockImplementation(String name, int processes, Supplier<Locks> process, Measure measure) {
			this.name = name;
			this.measure = measure;
			for (int i = 0; i < processes; i++) {
				this.processes.add(process.get());
			}
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public double measure() throws Exception {
			return this.measure.of(locks(), this.threads);
		}

		private List<Lock> locks() {
			return this.processes.stream().map((process) -> process.obtain("benchmark/lock")).toList();
		}

		@Override
		public void close() {
			this.processes.forEach(Locks::close);
			this.threads.shutdown();
		}

	}

}
