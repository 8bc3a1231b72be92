package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Calls to a fake broker, with a clock that tests can advance. */
abstract class CallsFixture {

	static final Command.Set SET = new Command.Set(Bytes.of("key"), Bytes.of("value"));

	static final Command.Get GET = new Command.Get(Bytes.of("key"));

	final FakeBroker broker = new FakeBroker();

	final AtomicLong skippedNanos = new AtomicLong();

	/** Whether the next reading of the clock fails. */
	final AtomicBoolean clockFails = new AtomicBoolean();

	@Nullable MqttConnection connection;

	@Nullable Calls calls;

	@AfterEach
	void close() {
		connection().close();
		this.broker.close();
	}

	/** Returns the connection, started with default options unless a test has others. */
	MqttConnection connection() {
		return (this.connection != null) ? this.connection : start(this.broker.options().build());
	}

	Calls calls() {
		connection();
		return Objects.requireNonNull(this.calls);
	}

	MqttConnection start(ConnectionOptions options) {
		MqttConnection connection = new MqttConnection(options, new ClientResources(this::now));
		this.connection = connection;
		this.calls = new Calls(connection, this::nowUnlessItFails, System::currentTimeMillis);
		connection.start();
		return connection;
	}

	long now() {
		return System.nanoTime() + this.skippedNanos.get();
	}

	long nowUnlessItFails() {
		if (this.clockFails.getAndSet(false)) {
			throw new IllegalStateException("clock");
		}
		return now();
	}

	/** Returns a template that sends commands with the calls of this test. */
	StateStoreTemplate template() {
		Calls calls = calls();
		return new StateStoreTemplate(new CommandInvoker() {

			@Override
			public CompletableFuture<Response> invoke(Command command, Options options) {
				return calls.invoke(command, options);
			}

			@Override
			public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
				return calls.invokeForWaiter(command, options);
			}

		});
	}

	CompletableFuture<Response> invoke(Command command) {
		return calls().invoke(command, Options.DEFAULT);
	}

	void skip(Duration duration) {
		this.skippedNanos.addAndGet(duration.toNanos());
		// The timer does not follow the clock, so the next check may be a second away.
		connection().resources().timer().schedule(calls()::checkCalls, 20, TimeUnit.MILLISECONDS);
	}

	static Response get(CompletableFuture<Response> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	static <T extends Throwable> T failure(CompletableFuture<Response> future, Class<T> type) {
		Throwable thrown = catchThrowable(() -> get(future));
		assertThat(thrown).isInstanceOf(ExecutionException.class);
		assertThat(thrown.getCause()).isInstanceOf(type);
		return type.cast(thrown.getCause());
	}

	void hold() {
		this.broker.onRequest = (broker, request) -> {
		};
	}

	FakeBroker.Request awaitRequest() {
		await("a request").until(() -> !this.broker.requests.isEmpty());
		return this.broker.requests.peek();
	}

	static Command.Set set(int size) {
		return new Command.Set(Bytes.of("key"), Bytes.wrap(new byte[size]));
	}

}
