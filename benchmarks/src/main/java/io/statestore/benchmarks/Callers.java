package io.statestore.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.mqtt.Transport;
import io.statestore.protocol.Bytes;

/** Factory of callers with our client and with Lettuce. */
final class Callers {

	private Callers() {
	}

	/** Returns a caller with our client. */
	static Caller template(int port, Operation operation, int size) {
		return template(port, Transport.PAHO, operation, size);
	}

	/** Returns a caller with our client on a transport. */
	static Caller template(int port, Transport transport, Operation operation, int size) {
		return template(new Client(port, transport), operation, size);
	}

	/** Returns a caller with a client, which it closes. */
	static Caller template(Client client, Operation operation, int size) {
		Bytes value = Bytes.wrap(new byte[size]);
		Key key = Key.of(Operation.KEY);
		client.template.set(key, value);
		StateStoreAsyncOperations async = client.template.async();
		return new Caller() {

			@Override
			public CompletableFuture<?> call() {
				return switch (operation) {
					case GET -> async.get(key, Bytes.class);
					case SET -> async.set(key, value);
					case ACQUIRE -> async.set(key, value, (spec) -> spec.ifAbsentOrEqual().expire(Operation.EXPIRY));
				};
			}

			@Override
			public void callAndWait() {
				switch (operation) {
					case GET -> client.template.get(key, Bytes.class);
					case SET -> client.template.set(key, value);
					case ACQUIRE ->
						client.template.set(key, value, (spec) -> spec.ifAbsentOrEqual().expire(Operation.EXPIRY));
				}
			}

			@Override
			public void close() {
				client.close();
			}

		};
	}

	/** Returns a caller that uses several callers in turn. */
	static Caller inTurn(List<Caller> callers) {
		AtomicInteger next = new AtomicInteger();
		return new Caller() {

			@Override
			public CompletableFuture<?> call() {
				return callers.get(Math.floorMod(next.getAndIncrement(), callers.size())).call();
			}

			@Override
			public void close() throws Exception {
				for (Caller caller : callers) {
					caller.close();
				}
			}

		};
	}

	/** Returns a caller for Redis, with the client that Spring Data Redis uses. */
	static Caller lettuce(int port, Operation operation, int size) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
		StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
		byte[] key = Operation.KEY.getBytes(java.nio.charset.StandardCharsets.UTF_8);
		byte[] value = new byte[size];
		connection.sync().set(key, value);
		return new Caller() {

			@Override
			public CompletableFuture<?> call() {
				return switch (operation) {
					case GET -> connection.async().get(key).toCompletableFuture();
					case SET -> connection.async().set(key, value).toCompletableFuture();
					case ACQUIRE -> connection.async()
						.set(key, value, SetArgs.Builder.px(Operation.EXPIRY.toMillis()))
						.toCompletableFuture();
				};
			}

			@Override
			public void callAndWait() {
				switch (operation) {
					case GET -> connection.sync().get(key);
					case SET -> connection.sync().set(key, value);
					case ACQUIRE -> connection.sync().set(key, value, SetArgs.Builder.px(Operation.EXPIRY.toMillis()));
				}
			}

			@Override
			public void close() {
				client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
			}

		};
	}

}
