package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

import io.lettuce.core.api.sync.RedisCommands;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.util.function.ThrowingFunction;

/**
 * Scenarios for locks: uncontended, handed over, and with many waiters.
 */
record LockScenarios(Servers servers) {

	private static final int WAITERS = 50;

	/** Number of clients that increment {@link #COUNTER}. */
	private static final int COUNTING = 8;

	private static final String COUNTER = "benchmark/counter";

	/** How long to wait until all waiters are surely waiting, in milliseconds. */
	private static final long SETTLE_MILLIS = 200;

	List<Scenario> all() {
		return List.of(
				scenario("lock and unlock, uncontended",
						(kind, port, resources) -> uncontended(kind.open(port, resources))),
				scenario("hand-over of a lock to another process, from unlock() to the end of lock()",
						(kind, port, resources) -> new HandOver(kind, port, resources)::measure),
				scenario(WAITERS + " waiters, a lock from the first to the last, per waiter", LockScenarios::crowd),
				new Scenario("increments of one counter by " + COUNTING + " clients", "1/s", counters()));
	}

	private List<Peer> counters() {
		UnaryOperator<Optional<String>> plusOne = (count) -> Optional
			.of(Long.toString(Long.parseLong(count.orElse("0")) + 1));
		Callable<Integer> port = () -> this.servers.port(Servers.STANDALONE);
		return List.of(counter("ours, increment", (resources) -> {
			Client client = resources.add(new Client(port.call()));
			return () -> client.template.increment(COUNTER, 1);
		}), counter("ours, update", (resources) -> {
			Client client = resources.add(new Client(port.call()));
			return () -> client.template.update(COUNTER, String.class, plusOne);
		}), counter("ours, under a lock", (resources) -> {
			FencedLock lock = (FencedLock) Kind.ours(port.call(), resources);
			return () -> lock.execute((held) -> held.update(COUNTER + "/fenced", String.class, plusOne));
		}), counter("Lettuce on Redis, INCR", (resources) -> {
			RedisCommands<String, String> redis = Calls.redis(this.servers.port(Servers.REDIS), resources)
				.connect()
				.sync();
			return () -> redis.incr(COUNTER);
		}).on(Servers.REDIS));
	}

	private static Peer counter(String name, ThrowingFunction<Resources, Callable<?>> connect) {
		return new Peer(name, (resources) -> {
			List<Callable<?>> calls = new ArrayList<>();
			for (int i = 0; i < COUNTING; i++) {
				calls.add(connect.apply(resources));
			}
			return () -> Measures.blocking(calls);
		});
	}

	private Scenario scenario(String name, Opener opener) {
		List<Peer> peers = new ArrayList<>();
		for (Kind kind : Kind.values()) {
			peers.add(kind.onRedis
					? peer(kind.toString(), kind, () -> this.servers.port(Servers.REDIS), opener).on(Servers.REDIS)
					: peer(kind + ", embedded broker", kind, this.servers::embedded, opener));
		}
		peers.add(2, peer("ours, standalone broker", Kind.OURS, () -> this.servers.port(Servers.STANDALONE), opener));
		return new Scenario(name, "us", peers);
	}

	private static Peer peer(String name, Kind kind, Callable<Integer> port, Opener opener) {
		return new Peer(name, (resources) -> opener.open(kind, port.call(), resources));
	}

	private static Callable<Double> uncontended(Lock lock) {
		return () -> Measures.median(3_000, () -> {
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			return System.nanoTime() - start;
		});
	}

	private static Callable<Double> crowd(Kind kind, int port, Resources resources) {
		List<Lock> locks = new ArrayList<>();
		for (int i = 0; i <= WAITERS; i++) {
			locks.add(kind.open(port, resources));
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

	/** Connects one kind of lock to a server. */
	@FunctionalInterface
	private interface Opener {

		Callable<Double> open(Kind kind, int port, Resources resources) throws Exception;

	}

	/**
	 * Lock implementations to compare. The name of the constant is passed to a second
	 * process, which opens the same implementation.
	 */
	enum Kind {

		OURS("ours", false, Kind::ours), REDISSON("Redisson", true, Kind::redisson),
		REGISTRY_PUBLISH_SUBSCRIBE("RedisLockRegistry, publish/subscribe", true,
				(port, resources) -> springIntegration(port, resources, RedisLockType.PUB_SUB_LOCK)),
		REGISTRY_SPINNING("RedisLockRegistry, spinning", true,
				(port, resources) -> springIntegration(port, resources, RedisLockType.SPIN_LOCK));

		private static final String NAME = "benchmark/lock";

		private final String text;

		final boolean onRedis;

		private final BiFunction<Integer, Resources, Lock> opener;

		Kind(String text, boolean onRedis, BiFunction<Integer, Resources, Lock> opener) {
			this.text = text;
			this.onRedis = onRedis;
			this.opener = opener;
		}

		/**
		 * Connects a client and returns its lock. All locks have the same name. Several
		 * clients in one JVM compete like separate processes.
		 */
		Lock open(int port, Resources resources) {
			return this.opener.apply(port, resources);
		}

		@Override
		public String toString() {
			return this.text;
		}

		private static Lock ours(int port, Resources resources) {
			Client client = resources.add(new Client(port));
			StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template);
			resources.add(registry::stop);
			return registry.obtain(NAME);
		}

		private static Lock redisson(int port, Resources resources) {
			Config config = new Config();
			config.useSingleServer()
				.setAddress("redis://127.0.0.1:" + port)
				.setConnectionMinimumIdleSize(2)
				.setConnectionPoolSize(8);
			RedissonClient client = Redisson.create(config);
			resources.add(client::shutdown);
			return client.getLock(NAME);
		}

		private static Lock springIntegration(int port, Resources resources, RedisLockType type) {
			RedisLockRegistry registry = new RedisLockRegistry(CacheScenarios.connections(port, resources),
					"locks-" + type, 30_000);
			registry.setRedisLockType(type);
			resources.add(registry::destroy);
			return registry.obtain(NAME);
		}

	}

}
