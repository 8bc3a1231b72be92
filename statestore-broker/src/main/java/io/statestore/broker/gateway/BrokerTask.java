package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.netty.channel.EventLoop;
import io.statestore.broker.packet.Packets;
import io.statestore.mqtt.BrokerConnection;
import org.jspecify.annotations.Nullable;

/**
 * A task with its own connection and client id. Used only on the event loop.
 *
 * @param <T> type of the result
 */
abstract class BrokerTask<T> implements BrokerConnection.Events {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final EventLoop loop;

	private final String clientId;

	private final boolean tls;

	private @Nullable BrokerConnection connection;

	/**
	 * Creates a task.
	 * @param purpose the part of the client id that identifies the task
	 */
	BrokerTask(EventLoop loop, GatewaySettings settings, String purpose) {
		this.loop = loop;
		this.tls = settings.tls() != null;
		this.clientId = settings.clientId() + '-' + purpose + '-' + UUID.randomUUID().toString().substring(0, 8);
	}

	/**
	 * Starts connecting. Must be called on the event loop, where the result completes.
	 * @return the result; fails with a {@link BrokerException} if the connection fails
	 */
	CompletableFuture<T> start(GatewaySettings settings) {
		this.connection = settings.open(this.loop, this.clientId, true, Duration.ZERO, this);
		return this.result;
	}

	String clientId() {
		return this.clientId;
	}

	boolean isDone() {
		return this.result.isDone();
	}

	/** Runs an action that writes to the connection, then flushes. */
	void send(Consumer<BrokerConnection> action) {
		if (this.connection != null) {
			action.accept(this.connection);
			this.connection.flush();
		}
	}

	@Override
	public void ended(Throwable cause, boolean accepted) {
		this.result.completeExceptionally(Diagnosis.of(cause, this.tls, accepted));
	}

	/** Disconnects and fails, unless this task is done. */
	void fail(BrokerException cause) {
		if (this.result.completeExceptionally(cause)) {
			disconnect();
		}
	}

	private void disconnect() {
		if (this.connection != null) {
			this.connection.close(Packets.disconnect(0, "the gateway stops"));
		}
	}

	/** Disconnects and completes, unless this task is done. */
	void done(T value) {
		if (!isDone()) {
			disconnect();
			this.result.complete(value);
		}
	}

}
