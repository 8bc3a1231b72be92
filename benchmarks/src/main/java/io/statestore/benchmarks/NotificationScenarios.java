package io.statestore.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/**
 * Scenarios of notifications: the time from a SET until the last listener is notified.
 * Each listener has its own connection.
 */
final class NotificationScenarios {

	private static final Key KEY = Key.of("benchmark/notification");

	private NotificationScenarios() {
	}

	static List<Scenario> all(Servers servers) {
		return List.of(scenario(servers, "the listener", 1, 100), scenario(servers, "the listener", 1, 4096),
				scenario(servers, "the last of 100 listeners", 100, 100));
	}

	private static Scenario scenario(Servers servers, String to, int listeners, int size) {
		List<Peer> peers = new ArrayList<>();
		peers.add(ours("ours, embedded broker", servers::embedded, listeners, size));
		peers.add(ours("ours, standalone broker", () -> servers.port(Servers.STANDALONE), listeners, size));
		peers.add(peer("bare Paho publish, embedded broker", listeners,
				(resources, arrived) -> bare(servers.embedded(), listeners, new byte[size], resources, arrived)));
		if (Servers.REDIS.isInstalled()) {
			peers.add(peer("Lettuce, PUBLISH on Redis", listeners, (resources,
					arrived) -> redis(servers.port(Servers.REDIS), false, listeners, size, resources, arrived)));
			peers.add(peer("Lettuce, SET with keyspace event (no value)", listeners, (resources,
					arrived) -> redis(servers.port(Servers.REDIS), true, listeners, size, resources, arrived)));
		}
		return new Scenario("notification, from SET to " + to + ", " + size + " B", "us", peers);
	}

	/** Returns the scenario of this build and an earlier one. */
	static Scenario builds(Servers servers, Server current, Server earlier) {
		return new Scenario("notification, from SET to the listener, 100 B", "us",
				List.of(ours("this build", () -> servers.port(current), 1, 100),
						ours("earlier build", () -> servers.port(earlier), 1, 100)));
	}

	private static Peer ours(String name, Callable<Integer> port, int listeners, int size) {
		return peer(name, listeners, (resources, arrived) -> {
			int broker = port.call();
			connect(listeners, resources, () -> {
				Client client = new Client(broker);
				client.template.watch(KEY, Bytes.class, (change) -> arrived.run()).started().get();
				return client;
			});
			Client writer = resources.add(new Client(broker));
			Bytes value = Bytes.wrap(new byte[size]);
			return () -> writer.template.async().set(KEY, value);
		});
	}

	/** Connects publish and subscribe without a store, the limit. */
	private static Supplier<CompletableFuture<?>> bare(int port, int listeners, byte[] value, Resources resources,
			Runnable arrived) throws Exception {
		String topic = KEY.toString();
		connect(listeners, resources,
				() -> new BarePaho(Client.options(port).build(), topic, (received, message) -> arrived.run()));
		BarePaho writer = resources.add(new BarePaho(Client.options(port).build(), null, (received, message) -> {
		}));
		return () -> writer.publish(topic, value, new MqttProperties());
	}

	/** Opens connections in parallel, because Paho sleeps for 0.3 s in each connect. */
	private static <T extends AutoCloseable> void connect(int count, Resources resources, Callable<T> connection)
			throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(20);
		for (Future<T> connected : threads.invokeAll(Collections.nCopies(count, connection))) {
			resources.add(connected.get());
		}
		threads.shutdown();
	}

	/**
	 * Connects clients of Redis: either publish and subscribe, which stores no value, or
	 * a SET with keyspace notifications, which do not contain the value.
	 */
	private static Supplier<CompletableFuture<?>> redis(int port, boolean keyspace, int listeners, int size,
			Resources resources, Runnable arrived) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
		resources.add(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
		byte[] key = KEY.toString().getBytes(StandardCharsets.US_ASCII);
		byte[] channel = keyspace ? ("__keyspace@0__:" + KEY).getBytes(StandardCharsets.US_ASCII) : key;
		StatefulRedisConnection<byte[], byte[]> writer = client.connect(ByteArrayCodec.INSTANCE);
		writer.sync().configSet("notify-keyspace-events", keyspace ? "K$" : "");
		for (int i = 0; i < listeners; i++) {
			StatefulRedisPubSubConnection<byte[], byte[]> connection = client.connectPubSub(ByteArrayCodec.INSTANCE);
			connection.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(byte[] channel, byte[] message) {
					arrived.run();
				}

			});
			connection.sync().subscribe(channel);
		}
		byte[] value = new byte[size];
		return () -> (keyspace ? writer.async().set(key, value) : writer.async().publish(key, value))
			.toCompletableFuture();
	}

	private static Peer peer(String name, int listeners, Opener opener) {
		return new Peer(name, (resources) -> {
			Semaphore arrived = new Semaphore(0);
			Supplier<CompletableFuture<?>> change = opener.open(resources, arrived::release);
			return () -> Measures.median(20_000 / (9 + listeners), () -> {
				arrived.drainPermits();
				long start = System.nanoTime();
				CompletableFuture<?> done = change.get();
				if (!arrived.tryAcquire(listeners, 10, TimeUnit.SECONDS)) {
					throw new IllegalStateException(name + ": a notification is missing");
				}
				long nanos = System.nanoTime() - start;
				done.get(10, TimeUnit.SECONDS);
				return nanos;
			});
		});
	}

	/** Connects listeners, and returns the action that makes a change. */
	@FunctionalInterface
	private interface Opener {

		Supplier<CompletableFuture<?>> open(Resources resources, Runnable arrived) throws Exception;

	}

}
