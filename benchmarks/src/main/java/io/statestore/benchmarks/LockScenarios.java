package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;

/** Scenarios of locks: uncontended, handed over, and with many waiters. */
final class LockScenarios {

	private static final int WAITERS = 50;

	/** Settling time until all waiters are waiting. */
	private static final long SETTLE_MILLIS = 200;

	private LockScenarios() {
	}

	static List<Scenario> all(Servers servers) {
		return List.of(
				new Scenario("lock and unlock, uncontended", "us", peers(servers,
						(name, kind, port) -> Peer.of(name, () -> kind.open(port), LockScenarios::uncontended))),
				new Scenario("hand-over of a lock to another process, from unlock() to the end of lock()", "us",
						peers(servers,
								(name, kind, port) -> Peer.of(name, () -> new HandOver(kind, port),
										HandOver::measure))),
				new Scenario(WAITERS + " waiters, a lock from the first to the last, per waiter", "us",
						peers(servers, (name, kind, port) -> new Peer(name, (resources) -> {
							List<Lock> locks = new ArrayList<>();
							for (int i = 0; i <= WAITERS; i++) {
								locks.add(resources.add(kind.open(port)).obtain().apply("benchmark/lock"));
							}
							ExecutorService threads = Executors.newCachedThreadPool();
							resources.add(threads::shutdown);
							return () -> crowd(locks, threads);
						}))));
	}

	private static List<Peer> peers(Servers servers, Opener opener) {
		List<Peer> peers = new ArrayList<>();
		peers.add(opener.peer("ours, embedded broker", LockKind.OURS, servers::embedded));
		peers.add(opener.peer("ours on HiveMQ client, embedded broker", LockKind.OURS_ON_HIVEMQ, servers::embedded));
		peers.add(opener.peer("ours, standalone broker", LockKind.OURS, () -> servers.port(Servers.STANDALONE)));
		if (Servers.REDIS.isInstalled()) {
			Port redis = () -> servers.port(Servers.REDIS);
			peers.add(opener.peer("Redisson", LockKind.REDISSON, redis));
			peers.add(opener.peer("RedisLockRegistry, publish/subscribe", LockKind.REGISTRY_PUBLISH_SUBSCRIBE, redis));
			peers.add(opener.peer("RedisLockRegistry, spinning", LockKind.REGISTRY_SPINNING, redis));
		}
		return peers;
	}

	private static double uncontended(LockKind.Locks locks) throws Exception {
		Lock lock = locks.obtain().apply("benchmark/lock");
		return Measures.median(3_000, () -> {
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			return System.nanoTime() - start;
		});
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

	/** Returns a peer for one kind of locks on one server. */
	@FunctionalInterface
	private interface Opener {

		Peer peer(String name, LockKind kind, Port port);

	}

	/** Starts a server if necessary, and returns its port. */
	@FunctionalInterface
	interface Port {

		int get() throws Exception;

	}

}
