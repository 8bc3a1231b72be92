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
				scenario("lock and unlock, uncontended", servers,
						(kind, port, resources) -> uncontended(resources.add(kind.open(port)))),
				scenario("hand-over of a lock to another process, from unlock() to the end of lock()", servers,
						(kind, port, resources) -> resources.add(new HandOver(kind, port))::measure),
				scenario(WAITERS + " waiters, a lock from the first to the last, per waiter", servers,
						LockScenarios::crowd));
	}

	private static Scenario scenario(String name, Servers servers, Opener opener) {
		List<Peer> peers = new ArrayList<>();
		for (LockKind kind : LockKind.values()) {
			if (!kind.onRedis) {
				peers.add(new Peer(kind + ", embedded broker",
						(resources) -> opener.open(kind, servers.embedded(), resources)));
			}
			else if (Servers.REDIS.isInstalled()) {
				peers.add(new Peer(kind.toString(),
						(resources) -> opener.open(kind, servers.port(Servers.REDIS), resources)));
			}
		}
		peers.add(2, new Peer("ours, standalone broker",
				(resources) -> opener.open(LockKind.OURS, servers.port(Servers.STANDALONE), resources)));
		return new Scenario(name, "us", peers);
	}

	private static Peer.Round uncontended(LockKind.Locks locks) {
		Lock lock = locks.obtain().apply("benchmark/lock");
		return () -> Measures.median(3_000, () -> {
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			return System.nanoTime() - start;
		});
	}

	private static Peer.Round crowd(LockKind kind, int port, Resources resources) {
		List<Lock> locks = new ArrayList<>();
		for (int i = 0; i <= WAITERS; i++) {
			locks.add(resources.add(kind.open(port)).obtain().apply("benchmark/lock"));
		}
		ExecutorService threads = Executors.newCachedThreadPool();
		resources.add(threads::shutdown);
		return () -> {
			locks.get(0).lock();
			List<Future<?>> waiters = new ArrayList<>();
			for (Lock lock : locks.subList(1, locks.size())) {
				waiters.add(threads.submit(() -> {
					lock.lock();
					lock.unlock();
				}));
			}
			Thread.sleep(SETTLE_MILLIS);
			long start = System.nanoTime();
			locks.get(0).unlock();
			for (Future<?> waiter : waiters) {
				waiter.get();
			}
			return (System.nanoTime() - start) / 1000.0 / waiters.size();
		};
	}

	/** Connects one kind of locks to a server. */
	@FunctionalInterface
	private interface Opener {

		Peer.Round open(LockKind kind, int port, Resources resources) throws Exception;

	}

}
