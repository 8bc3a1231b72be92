package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.statestore.client.mqtt.Transport;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Locks: alone, handed over, and with many who wait. */
final class LockScenarios {

	private static final int WAITERS = 50;

	/** Until somebody who has begun to wait surely waits. */
	private static final long SETTLE_MILLIS = 20;

	private final Servers servers;

	private final boolean quick;

	LockScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.quick = quick;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		scenarios.add(new Scenario("lock and unlock, uncontended", "us", contestants(1, this::uncontended)));
		scenarios.add(new Scenario("hand-over of a lock, from unlock() to the end of lock()", "us",
				contestants(2, this::handOver, this::handOverOften)));
		scenarios.add(new Scenario(WAITERS + " waiters, a lock from the first to the last, per waiter", "us",
				contestants(WAITERS + 1, LockScenarios::crowd)));
		return scenarios;
	}

	private List<Contestant.Factory> contestants(int processes, Measure measure) throws IOException {
		return contestants(processes, measure, (locks, threads) -> 0);
	}

	private List<Contestant.Factory> contestants(int processes, Measure measure, Measure warmUp) throws IOException {
		List<Contestant.Factory> contestants = new ArrayList<>();
		contestants.add(() -> new LockContestant("ours, embedded broker", processes,
				() -> Locks.ours(this.servers.embedded(), Transport.PAHO), measure, warmUp));
		contestants.add(() -> new LockContestant("ours on HiveMQ client, embedded broker", processes,
				() -> Locks.ours(this.servers.embedded(), Transport.HIVEMQ), measure, warmUp));
		int standalone = this.servers.standalone();
		contestants.add(() -> new LockContestant("ours, standalone broker", processes,
				() -> Locks.ours(standalone, Transport.PAHO), measure, warmUp));
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			int port = redis.getAsInt();
			contestants
				.add(() -> new LockContestant("Redisson", processes, () -> Locks.redisson(port), measure, warmUp));
			contestants.add(() -> new LockContestant("RedisLockRegistry, publish/subscribe", processes,
					() -> Locks.springIntegration(port, RedisLockType.PUB_SUB_LOCK), measure, warmUp));
			contestants.add(() -> new LockContestant("RedisLockRegistry, spinning", processes,
					() -> Locks.springIntegration(port, RedisLockType.SPIN_LOCK), measure, warmUp));
		}
		return contestants;
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

	private double handOver(List<Lock> locks, ExecutorService threads) throws Exception {
		long[] nanos = new long[this.quick ? 20 : 50];
		for (int i = 0; i < nanos.length; i++) {
			nanos[i] = handOver(locks.get(i % 2), locks.get((i + 1) % 2), SETTLE_MILLIS, threads);
		}
		return median(nanos);
	}

	/** A few dozen hand-overs a second would leave everybody's code uncompiled. */
	private double handOverOften(List<Lock> locks, ExecutorService threads) throws Exception {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.quick ? 2 : 8);
		for (int i = 0; System.nanoTime() < end; i++) {
			handOver(locks.get(i % 2), locks.get((i + 1) % 2), 1, threads);
		}
		return 0;
	}

	private static long handOver(Lock holder, Lock waiter, long settleMillis, ExecutorService threads)
			throws Exception {
		holder.lock();
		CountDownLatch waiting = new CountDownLatch(1);
		Future<Long> acquired = threads.submit(() -> {
			waiting.countDown();
			waiter.lock();
			long end = System.nanoTime();
			waiter.unlock();
			return end;
		});
		waiting.await();
		Thread.sleep(settleMillis);
		long start = System.nanoTime();
		holder.unlock();
		return acquired.get() - start;
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
		Thread.sleep(10 * SETTLE_MILLIS);
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

	/** One round of one contestant, with a lock of each of its processes. */
	@FunctionalInterface
	private interface Measure {

		double of(List<Lock> locks, ExecutorService threads) throws Exception;

	}

	/** So many clients with connections of their own. */
	private static final class LockContestant implements Contestant {

		private final List<Locks> processes = new ArrayList<>();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		private final String name;

		private final Measure measure;

		LockContestant(String name, int processes, Supplier<Locks> process, Measure measure, Measure warmUp)
				throws Exception {
			this.name = name;
			this.measure = measure;
			for (int i = 0; i < processes; i++) {
				this.processes.add(process.get());
			}
			warmUp.of(locks(), this.threads);
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
