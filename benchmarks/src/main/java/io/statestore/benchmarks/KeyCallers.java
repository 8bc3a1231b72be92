package io.statestore.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.Transport;
import io.statestore.protocol.Bytes;

/**
 * Factory of callers that use keys in turn. The values do not compress.
 */
final class KeyCallers {

	static final int VALUE_SIZE = 100;

	private static final byte[] VALUE = new byte[VALUE_SIZE];

	static {
		new Random(1).nextBytes(VALUE);
	}

	private KeyCallers() {
	}

	/** Returns the name of a key. All names have the same length. */
	static String key(int number) {
		return String.format(Locale.ROOT, "benchmark/%07d", number);
	}

	/** Returns the number of bytes of a key and its value. */
	static int payload() {
		return key(0).length() + VALUE_SIZE;
	}

	/** Returns a caller that sets keys with our client on Netty. */
	static Caller ours(int port, int keys) {
		return ours(List.of(port), Operation.SET, keys);
	}

	/** Returns a caller with our client on Netty, for nodes of one store. */
	static Caller ours(List<Integer> ports, Operation operation, int keys) {
		Client client = new Client(ConnectionOptions.builder()
			.hosts(ports.stream().map((port) -> "127.0.0.1:" + port).toList())
			.transport(Transport.NETTY));
		StateStoreAsyncOperations async = client.template.async();
		Bytes value = Bytes.wrap(VALUE);
		return switch (operation) {
			case GET -> new KeyCaller<>(keys, Key::of, (key) -> async.get(key, Bytes.class),
					(key) -> client.template.get(key, Bytes.class).orElseThrow(), client::close);
			case SET -> new KeyCaller<>(keys, Key::of, (key) -> async.set(key, value),
					(key) -> client.template.set(key, value), client::close);
			case ACQUIRE -> throw new IllegalArgumentException("Not supported");
		};
	}

	/** Returns a caller for Redis, with the client that Spring Data Redis uses. */
	static Caller lettuce(int port, int keys) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
		StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
		return new KeyCaller<>(keys, (name) -> name.getBytes(StandardCharsets.UTF_8),
				(key) -> connection.async().set(key, VALUE).toCompletableFuture(),
				(key) -> connection.sync().set(key, VALUE),
				() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
	}

	/** Returns a caller that sets keys of etcd. */
	static Caller jetcd(int port, int keys) {
		return jetcd(List.of(port), Operation.SET, keys);
	}

	/** Returns a caller for members of etcd. Its GETs are linearizable by default. */
	static Caller jetcd(List<Integer> ports, Operation operation, int keys) {
		io.etcd.jetcd.Client client = io.etcd.jetcd.Client.builder()
			.endpoints(ports.stream().map((port) -> "http://127.0.0.1:" + port).toArray(String[]::new))
			.build();
		KV store = client.getKVClient();
		ByteSequence value = ByteSequence.from(VALUE);
		Function<ByteSequence, CompletableFuture<?>> send = switch (operation) {
			case GET -> store::get;
			case SET -> (key) -> store.put(key, value);
			case ACQUIRE -> throw new IllegalArgumentException("Not supported");
		};
		return new KeyCaller<>(keys, (name) -> ByteSequence.from(name, StandardCharsets.UTF_8), send,
				(key) -> send.apply(key).join(), client::close);
	}

	/**
	 * Caller that uses keys in turn.
	 *
	 * @param <K> type of the keys
	 */
	private static final class KeyCaller<K> implements Caller {

		private final AtomicInteger next = new AtomicInteger();

		private final List<K> keys;

		private final Function<K, CompletableFuture<?>> send;

		private final Consumer<K> sendAndWait;

		private final Runnable close;

		KeyCaller(int keys, Function<String, K> key, Function<K, CompletableFuture<?>> send, Consumer<K> sendAndWait,
				Runnable close) {
			this.keys = IntStream.range(0, keys).mapToObj(KeyCallers::key).map(key).toList();
			this.send = send;
			this.sendAndWait = sendAndWait;
			this.close = close;
		}

		private K next() {
			return this.keys.get(Math.floorMod(this.next.getAndIncrement(), this.keys.size()));
		}

		@Override
		public CompletableFuture<?> call() {
			return this.send.apply(next());
		}

		@Override
		public void callAndWait() {
			this.sendAndWait.accept(next());
		}

		@Override
		public void close() {
			this.close.run();
		}

	}

}
