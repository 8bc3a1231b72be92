package io.statestore.broker.gateway;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

import javax.net.ssl.SSLContext;

import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link StateStoreGateway}. Not safe for use by several threads.
 */
public final class StateStoreGatewayBuilder {

	private String host = "localhost";

	private int port = 1883;

	private String clientId = "statestore-gateway";

	private @Nullable String username;

	private @Nullable String password;

	private @Nullable SSLContext tls;

	private StateStoreServerOptions store = StateStoreServerOptions.defaults();

	private Duration observationLease = Duration.ofMinutes(10);

	private long clientMemory = HeapPlan.ofThisJvm().clientMemory();

	private LongSupplier nanoClock = System::nanoTime;

	StateStoreGatewayBuilder() {
	}

	/** Name or address of the broker. Default {@code localhost}. */
	public StateStoreGatewayBuilder host(String host) {
		this.host = host;
		return this;
	}

	/** Port of the broker. Default 1883. */
	public StateStoreGatewayBuilder port(int port) {
		this.port = port;
		return this;
	}

	/**
	 * The MQTT client id of the gateway. Default {@code statestore-gateway}. All gateways
	 * of one broker should have the same: the broker then lets only one of them be
	 * connected.
	 */
	public StateStoreGatewayBuilder clientId(String clientId) {
		this.clientId = clientId;
		return this;
	}

	/** User name and password for the broker. Default none. */
	public StateStoreGatewayBuilder login(String username, String password) {
		this.username = username;
		this.password = password;
		return this;
	}

	/**
	 * Connects with TLS, and checks that the certificate belongs to the host. Default
	 * plain TCP.
	 * @param context the trusted certificates, and the client certificate if any
	 * @return this builder
	 */
	public StateStoreGatewayBuilder tls(SSLContext context) {
		this.tls = context;
		return this;
	}

	/**
	 * Connects with TLS, and checks that the certificate belongs to the host and was
	 * issued by one of the given certificate authorities. Default plain TCP.
	 * @param certificateAuthorities a PEM file; no other authority is trusted
	 * @return this builder
	 * @throws IllegalArgumentException if the file cannot be read or has no certificate
	 */
	public StateStoreGatewayBuilder tls(Path certificateAuthorities) {
		return tls(Tls.trusting(certificateAuthorities));
	}

	/**
	 * Sets the lease of observations on brokers that do not report messages without a
	 * subscriber: the time from the last request of a client to the end of its
	 * observations. On other brokers, it ends observers only if memory runs short.
	 * @param lease at least a second. Default ten minutes
	 * @return this builder
	 */
	public StateStoreGatewayBuilder observationLease(Duration lease) {
		this.observationLease = lease;
		return this;
	}

	/**
	 * Quota, form of replies and clocks of the store. Default: no quota, official form.
	 */
	public StateStoreGatewayBuilder store(StateStoreServerOptions options) {
		this.store = options;
		return this;
	}

	/**
	 * Sets the memory that all clients together may hold: what is known of each, and
	 * observed keys. Requests of further clients and observations of further keys are
	 * refused with "the quota has been exceeded".
	 * @param clientMemory in bytes, at least 1. Default a quarter of this JVM's maximum
	 * heap
	 * @return this builder
	 */
	public StateStoreGatewayBuilder clientMemory(long clientMemory) {
		this.clientMemory = clientMemory;
		return this;
	}

	StateStoreGatewayBuilder wallClock(LongSupplier wallClock) {
		this.store = this.store.withWallClock(wallClock);
		return this;
	}

	StateStoreGatewayBuilder nanoClock(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		return this;
	}

	/**
	 * Connect and begin to serve. Waits at most about half a minute.
	 * @throws IllegalArgumentException if a setting makes no sense
	 * @throws IllegalStateException if the broker cannot be reached, refuses the gateway,
	 * or is served already
	 */
	public StateStoreGateway start() {
		if (this.port < 1 || this.port > 65_535) {
			throw new IllegalArgumentException("'port' must be 1 to 65535, not " + this.port);
		}
		if (this.clientMemory < 1) {
			throw new IllegalArgumentException("'clientMemory' must be at least 1, not " + this.clientMemory);
		}
		if (this.clientId.isEmpty()) {
			throw new IllegalArgumentException("'clientId' must not be empty");
		}
		if (this.observationLease.compareTo(Duration.ofSeconds(1)) < 0) {
			throw new IllegalArgumentException(
					"'observationLease' must be at least a second, not " + this.observationLease);
		}
		MemoryBudget budget = MemoryBudget.of(this.clientMemory);
		StateStoreGateway gateway = new StateStoreGateway(
				new GatewaySettings(this.host, this.port, this.clientId, this.username, this.password, this.tls,
						this.observationLease, budget),
				new StateStoreServer(this.store), this.store.wallClock(), this.nanoClock);
		try {
			gateway.start();
			return gateway;
		}
		catch (CompletionException ex) {
			gateway.close();
			throw (ex.getCause() instanceof IllegalStateException known) ? known : ex;
		}
	}

}
