package io.statestore.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

import org.springframework.util.function.ThrowingBiFunction;

/**
 * Scenarios for notifications: the time from a SET until the last listener is notified.
 * Each listener has its own connection.
 *
 * @param servers servers shared with other scenarios
 * @param listeners number of listeners
 * @param value value to set
 */
record NotificationScenarios(Servers servers, int listeners, byte[] value) {

	private static final Key KEY = Key.of("benchmark/notification");

	static List<Scenario> all(Servers servers) {
		return List.of(new NotificationScenarios(servers, 1, new byte[100]).scenario("the listener"),
				new NotificationScenarios(servers, 1, new byte[4096]).scenario("the listener"),
				new NotificationScenarios(servers, 100, new byte[100]).scenario("the last of 100 listeners"));
	}

	private Scenario scenario(String to) {
		return new Scenario("notification, from SET to " + to + ", " + this.value.length + " B", "us",
				List.of(ours("ours, embedded broker", this.servers::embedded),
						ours("ours, standalone broker", () -> this.servers.port(Servers.STANDALONE)),
						bare("bare connection, embedded broker", this.servers::embedded),
						redis("Lettuce, PUBLISH on Redis", Servers.REDIS),
						peer("Lettuce, SET with keyspace event (no value)",
								(resources, arrived) -> redis(Servers.REDIS, true, resources, arrived))
							.on(Servers.REDIS)));
	}

	/** Returns the scenario that compares this build with an earlier build. */
	static Scenario builds(Servers servers, Server current, Server earlier) {
		NotificationScenarios one = new NotificationScenarios(servers, 1, new byte[100]);
		return new Scenario("notification, from SET to the listener, 100 B", "us",
				List.of(one.ours("this build", () -> servers.port(current)),
						one.ours("earlier build", () -> servers.port(earlier))));
	}

	private Peer ours(String name, Callable<Integer> port) {
		return peer(name, (resources, arrived) -> {
			int broker = port.call();
			connect(resources, () -> {
				Client client = new Client(broker);
				client.template.watch(KEY, Bytes.class, (change) -> arrived.run()).started().get();
				return client;
			});
			Client writer = resources.add(new Client(broker));
			Bytes bytes = Bytes.wrap(this.value);
			return () -> writer.template.async().set(KEY, bytes);
		});
	}

	/** Returns a peer whose connections do nothing but watch a key and set it. */
	Peer bare(String name, Callable<Integer> port) {
		return peer(name, (resources, arrived) -> {
			int broker = port.call();
			for (int i = 0; i < this.listeners; i++) {
				resources.add(BareNetty.observer(broker, Calls.key(0), arrived));
			}
			return resources.add(BareNetty.caller(broker, new Calls(Calls.Operation.SET, 1, this.value.length))).send();
		});
	}

	/** Opens connections in parallel. */
	private <T extends AutoCloseable> void connect(Resources resources, Callable<T> connection) throws Exception {
		Measures.onThreads(Collections.nCopies(this.listeners, connection)).forEach(resources::add);
	}

	/**
	 * Returns a peer with Redis subscribers and a publisher, which does not store a
	 * value.
	 */
	Peer redis(String name, Server server) {
		return peer(name, (resources, arrived) -> redis(server, false, resources, arrived)).on(server);
	}

	/**
	 * Connects Redis clients that use either publish and subscribe, which does not store
	 * a value, or SET with keyspace notifications, which do not contain the value.
	 */
	private Supplier<CompletableFuture<?>> redis(Server server, boolean keyspace, Resources resources, Runnable arrived)
			throws Exception {
		RedisClient client = Calls.redis(this.servers.port(server), resources);
		byte[] key = KEY.toString().getBytes(StandardCharsets.US_ASCII);
		byte[] channel = keyspace ? ("__keyspace@0__:" + KEY).getBytes(StandardCharsets.US_ASCII) : key;
		StatefulRedisConnection<byte[], byte[]> writer = client.connect(ByteArrayCodec.INSTANCE);
		writer.sync().configSet("notify-keyspace-events", keyspace ? "K$" : "");
		for (int i = 0; i < this.listeners; i++) {
			StatefulRedisPubSubConnection<byte[], byte[]> connection = client.connectPubSub(ByteArrayCodec.INSTANCE);
			connection.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(byte[] channel, byte[] message) {
					arrived.run();
				}

			});
			connection.sync().subscribe(channel);
		}
		return () -> (keyspace ? writer.async().set(key, this.value) : writer.async().publish(key, this.value))
			.toCompletableFuture();
	}

	/**
	 * Returns a peer.
	 * @param opener connects listeners and returns the action that makes a change
	 */
	private Peer peer(String name, ThrowingBiFunction<Resources, Runnable, Supplier<CompletableFuture<?>>> opener) {
		return new Peer(name, (resources) -> {
			Semaphore arrived = new Semaphore(0);
			Supplier<CompletableFuture<?>> change = opener.apply(resources, arrived::release);
			return () -> Measures.median(20_000 / (9 + this.listeners), () -> {
				arrived.drainPermits();
				long start = System.nanoTime();
				CompletableFuture<?> done = change.get();
				if (!arrived.tryAcquire(this.listeners, 10, TimeUnit.SECONDS)) {
					throw new IllegalStateException(name + ": a notification is missing");
				}
				long nanos = System.nanoTime() - start;
				done.get(10, TimeUnit.SECONDS);
				return nanos;
			});
		});
	}

}
