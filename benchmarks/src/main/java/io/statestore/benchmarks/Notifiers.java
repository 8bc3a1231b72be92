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

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/** A connection that makes changes, and connections that are notified of them. */
interface Notifiers extends AutoCloseable {

	/** Makes a change without waiting. */
	CompletableFuture<?> change();

	@Override
	void close() throws Exception;

	/** Opens connections in parallel, because Paho sleeps for 0.3 s in each connect. */
	private static <T> List<T> connect(int count, Callable<T> connection) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(20);
		try {
			List<T> connections = new ArrayList<>();
			for (Future<T> connected : threads.invokeAll(Collections.nCopies(count, connection))) {
				connections.add(connected.get());
			}
			return connections;
		}
		finally {
			threads.shutdown();
		}
	}

	/** Returns notifiers with our client. */
	static Notifiers ours(int port, int watchers, int size, Runnable arrived) throws Exception {
		Key key = Key.of("benchmark/notification");
		List<Client> clients = connect(watchers, () -> {
			Client client = new Client(port);
			client.template.watch(key, Bytes.class, (change) -> arrived.run()).started().get();
			return client;
		});
		Client writer = new Client(port);
		clients.add(writer);
		Bytes value = Bytes.wrap(new byte[size]);
		return new Notifiers() {

			@Override
			public CompletableFuture<?> change() {
				return writer.template.async().set(key, value);
			}

			@Override
			public void close() {
				clients.forEach(Client::close);
			}

		};
	}

	/**
	 * Returns notifiers with bare publish and subscribe on the same broker, the limit.
	 */
	static Notifiers bare(int port, int watchers, int size, Runnable arrived) throws Exception {
		List<BarePahoPublisher> clients = connect(watchers, () -> new BarePahoPublisher(port, true, arrived));
		BarePahoPublisher writer = new BarePahoPublisher(port, false, () -> {
		});
		clients.add(writer);
		return new Notifiers() {

			@Override
			public CompletableFuture<?> change() {
				return writer.publish(size);
			}

			@Override
			public void close() {
				clients.forEach(BarePahoPublisher::close);
			}

		};
	}

	/**
	 * Returns notifiers with Redis: either publish and subscribe, which stores no value,
	 * or a SET with keyspace notifications, which do not contain the value.
	 */
	static Notifiers lettuce(int port, boolean keyspace, int watchers, int size, Runnable arrived) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
		byte[] key = "benchmark/notification".getBytes(StandardCharsets.US_ASCII);
		byte[] channel = keyspace ? "__keyspace@0__:benchmark/notification".getBytes(StandardCharsets.US_ASCII) : key;
		StatefulRedisConnection<byte[], byte[]> writer = client.connect(ByteArrayCodec.INSTANCE);
		writer.sync().configSet("notify-keyspace-events", keyspace ? "K$" : "");
		for (int i = 0; i < watchers; i++) {
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
		return new Notifiers() {

			@Override
			public CompletableFuture<?> change() {
				return (keyspace ? writer.async().set(key, value) : writer.async().publish(key, value))
					.toCompletableFuture();
			}

			@Override
			public void close() {
				client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
			}

		};
	}

}
