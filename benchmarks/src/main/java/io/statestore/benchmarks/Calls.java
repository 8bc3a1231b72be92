package io.statestore.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Calls that a client makes. They use keys in turn and values that are not compressible.
 *
 * @param operation operation of all calls
 * @param keys number of keys
 * @param size size of a value in bytes
 */
record Calls(Operation operation, int keys, int size) {

	/** SETs on enough keys to be spread over several files. */
	static final Calls SETS = new Calls(Operation.SET, 10_000, 100);

	/** Operation that a caller repeats. */
	enum Operation {

		GET, SET

	}

	/** Returns a key's name. All names have the same length. */
	static String key(int number) {
		return String.format(Locale.ROOT, "benchmark/%07d", number);
	}

	/** Returns the size of a key and its value, in bytes. */
	int payload() {
		return key(0).length() + this.size;
	}

	private byte[] value() {
		byte[] value = new byte[this.size];
		new Random(1).nextBytes(value);
		return value;
	}

	/** Returns a request's payload, for clients without our codec. */
	byte[] request() {
		Bytes key = Bytes.of(key(0));
		return Commands.encode((this.operation == Operation.GET) ? new Command.Get(key)
				: new Command.Set(key, Bytes.wrap(value()), Condition.ALWAYS, null));
	}

	/** Returns the timestamp that a request must have, or {@code null} for a read. */
	@Nullable String timestamp() {
		return (this.operation == Operation.GET) ? null
				: new Version(System.currentTimeMillis(), 0, "bare").toPaddedString();
	}

	/** Returns a caller with our client. */
	Caller ours(int port) {
		return ours(Client.options(port));
	}

	/** Returns a caller with our client and several hosts. */
	Caller ours(List<Integer> ports) {
		List<String> hosts = ports.stream().map((port) -> "127.0.0.1:" + port).toList();
		return ours(ConnectionOptions.builder().hosts(hosts));
	}

	/** Returns a caller with our client, after storing the first key. */
	Caller ours(ConnectionOptions.Builder options) {
		Client client = new Client(options);
		StateStoreAsyncOperations async = client.template.async();
		Bytes value = Bytes.wrap(value());
		client.template.set(key(0), value);
		return (this.operation == Operation.GET)
				? caller(Key::of, (key) -> async.get(key, Bytes.class),
						(key) -> client.template.get(key, Bytes.class).orElseThrow(), client)
				: caller(Key::of, (key) -> async.set(key, value), (key) -> client.template.set(key, value), client);
	}

	/** Returns a caller for Redis, with the client that Spring Data Redis uses. */
	Caller lettuce(int port) {
		Resources resources = new Resources();
		StatefulRedisConnection<byte[], byte[]> connection = redis(port, resources).connect(ByteArrayCodec.INSTANCE);
		byte[] value = value();
		connection.sync().set(key(0).getBytes(StandardCharsets.UTF_8), value);
		Function<String, byte[]> key = (name) -> name.getBytes(StandardCharsets.UTF_8);
		return (this.operation == Operation.GET)
				? caller(key, (name) -> connection.async().get(name).toCompletableFuture(),
						(name) -> connection.sync().get(name), resources)
				: caller(key, (name) -> connection.async().set(name, value).toCompletableFuture(),
						(name) -> connection.sync().set(name, value), resources);
	}

	/** Returns a Redis client. */
	static RedisClient redis(int port, Resources resources) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
		resources.add(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
		return client;
	}

	/** Returns a caller for etcd members, whose GETs are linearizable by default. */
	Caller jetcd(List<Integer> ports) {
		io.etcd.jetcd.Client client = io.etcd.jetcd.Client.builder()
			.endpoints(ports.stream().map((port) -> "http://127.0.0.1:" + port).toArray(String[]::new))
			.build();
		KV store = client.getKVClient();
		ByteSequence value = ByteSequence.from(value());
		Function<ByteSequence, CompletableFuture<?>> send = (this.operation == Operation.GET) ? store::get
				: (key) -> store.put(key, value);
		return caller((name) -> ByteSequence.from(name, StandardCharsets.UTF_8), send, (key) -> send.apply(key).join(),
				client);
	}

	private <K> Caller caller(Function<String, K> key, Function<K, CompletableFuture<?>> send,
			Function<K, @Nullable Object> await, AutoCloseable connection) {
		List<K> all = IntStream.range(0, this.keys).mapToObj(Calls::key).map(key).toList();
		AtomicInteger next = new AtomicInteger();
		Supplier<K> inTurn = () -> all.get(Math.floorMod(next.getAndIncrement(), all.size()));
		return new Caller(() -> send.apply(inTurn.get()), () -> await.apply(inTurn.get()), connection);
	}

}
