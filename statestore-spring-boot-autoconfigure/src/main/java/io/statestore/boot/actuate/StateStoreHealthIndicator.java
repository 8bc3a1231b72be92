package io.statestore.boot.actuate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionStatus;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of a connection to a state store. Reports UP if there is a connection and the
 * store has answered either a call by the application within the last second or a GET by
 * this check. A refusal is an answer, too. Locks and leadership do not affect the status.
 * <p>
 * Without a connection, the check immediately reports DOWN. It does not trigger a
 * reconnect, because the delays between attempts protect the broker from many clients
 * that return simultaneously. With the default maximum delay of one second, the status is
 * UP again within two seconds after the broker returns.
 */
class StateStoreHealthIndicator extends AbstractHealthIndicator {

	/** How old a round trip of the application may be to replace a GET. */
	static final Duration RECENT = Duration.ofSeconds(1);

	/** How long to wait for a call to fail on its own after its timeout. */
	private static final Duration GRACE = Duration.ofMillis(250);

	/** Command that the check sends. The key need not exist. */
	private static final Command PROBE = new Command.Get(Bytes.of("statestore/health"));

	private final StateStoreConnection connection;

	private final Duration timeout;

	/**
	 * Creates an indicator.
	 * @param connection connection to check
	 * @param timeout maximum time that a check waits for the reply to its GET
	 */
	StateStoreHealthIndicator(StateStoreConnection connection, Duration timeout) {
		super("State store health check failed");
		this.connection = connection;
		this.timeout = timeout;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws InterruptedException {
		String error = error();
		ConnectionDescriptor connection = ConnectionDescriptor.of(this.connection);
		builder.withDetail("broker", connection.broker())
			.withDetail("clientId", connection.clientId())
			.withDetail(connection.connected() ? "connectedSince" : "disconnectedSince", connection.since().toString());
		if (connection.lastRoundTrip() != null) {
			builder.withDetail("lastRoundTrip", connection.lastRoundTrip());
		}
		if (connection.clockOffset() != null) {
			builder.withDetail("clockOffset", connection.clockOffset());
		}
		if (error != null) {
			builder.down().withDetail("error", error);
		}
		else {
			builder.up();
		}
	}

	/** Returns why the store cannot be used, or {@code null} if it can. */
	private @Nullable String error() throws InterruptedException {
		ConnectionStatus status = this.connection.status();
		if (!status.connected()) {
			return status.problem();
		}
		RoundTrip latest = this.connection.lastRoundTrip().orElse(null);
		boolean recent = latest != null && latest.age().compareTo(RECENT) < 0
				&& latest.age().compareTo(status.duration()) < 0;
		return recent ? null : probe();
	}

	private @Nullable String probe() throws InterruptedException {
		// Urgent, so that the application's pending calls do not delay it.
		CompletableFuture<?> reply = this.connection.invokeForWaiter(PROBE,
				new Options(null, false, this.timeout).asUrgent());
		try {
			// The call itself fails after the timeout, with a better diagnosis.
			reply.get(this.timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
			return null;
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			return (cause instanceof StateStoreRefusedException) ? null : String.valueOf(cause.getMessage());
		}
		catch (TimeoutException ex) {
			return "The state store has not answered within " + this.timeout.toMillis()
					+ " ms. Check that it is running and not overloaded, or raise management.health.statestore.timeout";
		}
		finally {
			reply.cancel(true);
		}
	}

}
