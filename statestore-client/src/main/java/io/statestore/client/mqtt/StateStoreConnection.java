package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.mqtt.internal.Calls;
import io.statestore.client.mqtt.internal.ConnectionAccess;
import io.statestore.client.mqtt.internal.MqttConnection;
import io.statestore.protocol.Command;
import io.statestore.time.TimeSource;

import org.springframework.context.SmartLifecycle;

/**
 * The MQTT connection of the state store client, which sends its commands.
 * <p>
 * It connects on {@link #start()} or with the first call, whichever is earlier. Calls
 * therefore work before the application context has started, and after it has stopped.
 * When the connection breaks, attempts to reconnect follow with growing delays until
 * {@link #stop()}. With several {@linkplain ConnectionOptions#hosts() hosts}, the next
 * one is tried immediately, and the delays begin once all have failed. {@link #close()}
 * ends the connection for good. Each connection begins with a clean session. Messages
 * that arrive during an outage are lost.
 * <p>
 * The connection ends if the broker sends no packet, not even the reply to a PING. It
 * also ends if the broker acknowledges no publish for twice the
 * {@link ConnectionOptions#requestTimeout()}, the keep-alive, or 30 seconds, whichever is
 * longest. The time during which a large message is transferred does not count.
 * <p>
 * {@link #start()} waits up to {@link ConnectionOptions#startTimeout()} for the first
 * connection. Without one the application still starts. The log names the cause and the
 * properties to check, and attempts continue in the background. Calls wait for the
 * connection up to their deadline, or fail immediately
 * ({@link ConnectionOptions#disconnectedBehavior()}).
 * <p>
 * Calls also wait, in order, while the maximum number of publishes is in flight. A call
 * that is not sent by its deadline fails with {@link StateStoreNotSentException}. A call
 * in flight fails with {@link StateStoreOutcomeUnknownException} at its deadline, when
 * the connection breaks, or when the application stops. Reads are sent again after a
 * reconnect instead, because they change nothing. Writes are never sent twice. A call
 * fails at most about 20 ms after its deadline.
 * <p>
 * Futures complete on a separate pool with {@value ClientResources#REPLY_THREADS}
 * threads, and more if continuations block in {@code join()} of another future. Blocking
 * continuations therefore do not delay other replies. Threads that wait with
 * {@link #invokeForWaiter} do not depend on that pool. A call whose future is canceled or
 * completed by its user is no longer pending. If it was sent, it stays in flight until
 * its reply.
 * <p>
 * Thread-safe. All threads are daemons.
 */
public final class StateStoreConnection implements CommandInvoker, SmartLifecycle, AutoCloseable {

	/**
	 * Lifecycle phase: starts before all users of the connection, and stops after them.
	 */
	public static final int PHASE = 0;

	static {
		ConnectionAccess.allow((connection) -> connection.connection);
	}

	private final MqttConnection connection;

	private final Calls calls;

	/**
	 * Creates a connection with its own resources. It does not connect yet.
	 * @param options address of the broker and options of the connection
	 */
	public StateStoreConnection(ConnectionOptions options) {
		this(new MqttConnection(options));
	}

	/**
	 * Creates a connection that shares resources, for example with other connections.
	 * @param options address of the broker and options of the connection
	 * @param resources timer and threads, which {@link #close()} does not close
	 */
	public StateStoreConnection(ConnectionOptions options, ClientResources resources) {
		this(new MqttConnection(options, resources));
	}

	private StateStoreConnection(MqttConnection connection) {
		this.connection = connection;
		this.calls = new Calls(connection);
	}

	/**
	 * Returns the options of this connection.
	 * @return the options
	 */
	public ConnectionOptions options() {
		return this.connection.options();
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return this.calls.invoke(command, options);
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return this.calls.invokeForWaiter(command, options);
	}

	@Override
	public Limits limits() {
		return new Limits(options().maxPending(), options().requestTimeout());
	}

	@Override
	public TimeSource time() {
		return this.connection.resources().time();
	}

	@Override
	public Server server() {
		BrokerAddress address = this.connection.address();
		return new Server(address.host(), address.port());
	}

	/**
	 * Adds a listener that is notified of every connection and its end.
	 * @param listener the listener
	 */
	public void addListener(ConnectionListener listener) {
		this.connection.addListener(listener);
	}

	/**
	 * Removes a listener.
	 * @param listener the listener; an unknown one is ignored
	 */
	public void removeListener(ConnectionListener listener) {
		this.connection.removeListener(listener);
	}

	/**
	 * Connects, and waits for the first connection up to the
	 * {@link ConnectionOptions#startTimeout()}, counted from the first use.
	 * @throws IllegalStateException if the connection is closed
	 */
	@Override
	public void start() {
		this.connection.start();
	}

	/**
	 * Disconnects, and waits up to two seconds until that is done. The next call connects
	 * again, except for calls that keep locks or watch keys.
	 */
	@Override
	public void stop() {
		this.connection.stop();
	}

	/**
	 * Disconnects for good, and waits up to two seconds until that is done. Further calls
	 * fail.
	 */
	@Override
	public void close() {
		this.connection.close();
	}

	/** Returns whether the application has started this and not stopped it since. */
	@Override
	public boolean isRunning() {
		return this.connection.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Replaces the connection, for example after certificates have changed. Requests in
	 * flight have a second to be answered; calls made meanwhile wait for the new
	 * connection. Without a connection this has no effect, because each attempt to
	 * connect reads the certificates.
	 * @param reason the reason, for the log
	 */
	public void reconnect(String reason) {
		this.connection.reconnect(reason);
	}

	/**
	 * Returns whether there is a connection now.
	 * @return {@code false} during outages and before the first connection
	 */
	@Override
	public boolean isConnected() {
		return this.connection.isConnected();
	}

	/**
	 * Returns the present status of the connection, for health checks and meters. Does
	 * not wait.
	 * @return the status
	 */
	public ConnectionStatus status() {
		return this.connection.status();
	}

	/**
	 * Returns the latest round trip, which shows that the store answered. Its reply may
	 * have been a refusal.
	 * @return the round trip, empty before the first reply
	 */
	public Optional<ConnectionStatus.RoundTrip> lastRoundTrip() {
		return this.calls.lastRoundTrip();
	}

	/**
	 * Returns how far the store's clock is ahead of this machine's clock, as of the
	 * latest confirmed SET. It is accurate to half a round trip.
	 * <p>
	 * The clock of the store is a hybrid logical clock, which follows the fastest clock
	 * of all clients (protocol section 4). A lead can therefore be that of another
	 * client, and a clock of this machine that is ahead shows no lag.
	 * @return the lead, negative for a lag; empty before the first confirmed SET
	 */
	public Optional<Duration> clockOffset() {
		return this.calls.clockOffset();
	}

	/**
	 * Returns the number of replies that arrived too late or without a call.
	 * @return the number of replies since the creation of this connection
	 */
	public long unmatchedReplies() {
		return this.calls.unmatchedReplies();
	}

	/**
	 * Returns the number of calls that wait for room, a connection, or a reply.
	 * @return the number of calls
	 */
	public int pendingCalls() {
		return this.calls.pending();
	}

	/**
	 * Returns the broker as shown in logs and messages.
	 * @return the URL of the host in use. Without a connection, the URL of all hosts
	 */
	public String getUrl() {
		return this.connection.getUrl();
	}

	/**
	 * Returns the MQTT client id.
	 * @return the client id
	 */
	public String getClientId() {
		return this.connection.getClientId();
	}

}
