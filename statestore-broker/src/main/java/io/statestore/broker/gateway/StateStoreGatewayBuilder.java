package io.statestore.broker.gateway;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLContext;

import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.PemFiles;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.security.RulesFile;
import io.statestore.broker.server.ClusterOperations;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

/**
 * Builder of a {@link StateStoreGateway}. Not thread-safe.
 */
public final class StateStoreGatewayBuilder {

	private String host = "localhost";

	private int port = 1883;

	private String clientId = "statestore-gateway";

	private @Nullable String username;

	private @Nullable String password;

	private @Nullable Supplier<SSLContext> tls;

	private ProtocolDialect protocolDialect = ProtocolDialect.CLIENTS;

	private Duration watchLease = Duration.ofMinutes(10);

	private boolean administration;

	private @Nullable RulesFile rules;

	private Limits limits = Limits.ofThisJvm();

	private @Nullable ClusterOptions cluster;

	private @Nullable StorageOptions storage;

	private LongSupplier wallClock = System::currentTimeMillis;

	private LongSupplier nanoClock = System::nanoTime;

	StateStoreGatewayBuilder() {
	}

	/**
	 * Sets the broker's host.
	 * @param host name or address. Default {@code localhost}
	 * @return this builder
	 */
	public StateStoreGatewayBuilder host(String host) {
		this.host = host;
		return this;
	}

	/**
	 * Sets the broker's port.
	 * @param port the port. Default 1883
	 * @return this builder
	 */
	public StateStoreGatewayBuilder port(int port) {
		this.port = port;
		return this;
	}

	/**
	 * Sets the MQTT client id. All gateways on a broker should use the same id, so that
	 * the broker lets only one of them be connected.
	 * @param clientId the client id. Default {@code statestore-gateway}
	 * @return this builder
	 */
	public StateStoreGatewayBuilder clientId(String clientId) {
		this.clientId = clientId;
		return this;
	}

	/**
	 * Sets the broker login. By default, the gateway connects anonymously.
	 * @param username the MQTT user name
	 * @param password the MQTT password
	 * @return this builder
	 */
	public StateStoreGatewayBuilder login(String username, String password) {
		this.username = username;
		this.password = password;
		return this;
	}

	/**
	 * Connects with TLS and checks that the certificate belongs to the host. Default
	 * plain TCP.
	 * @param context the trusted certificates, and the client certificate if any
	 * @return this builder
	 */
	public StateStoreGatewayBuilder tls(SSLContext context) {
		Objects.requireNonNull(context, "'context' must not be null");
		this.tls = () -> context;
		return this;
	}

	/**
	 * Connects with TLS and checks that the certificate belongs to the host and was
	 * issued by one of the given certificate authorities. Default plain TCP.
	 * @param certificateAuthorities a PEM file; no other authority is trusted
	 * @return this builder
	 * @throws IllegalArgumentException if the file cannot be read or has no certificate
	 */
	public StateStoreGatewayBuilder tls(Path certificateAuthorities) {
		return tls(PemFiles.trusting(certificateAuthorities));
	}

	/**
	 * Connects with TLS and checks that the certificate belongs to the host. When the
	 * files change, they are read again; the new content applies to the next connection.
	 * @param files the trusted certificate authorities, and the gateway's certificate if
	 * the broker requires one
	 * @return this builder
	 * @throws IllegalArgumentException if a file cannot be read or used. The message
	 * names the file and explains how to fix the problem
	 */
	public StateStoreGatewayBuilder tls(PemFiles files) {
		this.tls = files.watch();
		return this;
	}

	/**
	 * Sets how long watches last after the client's latest request, on brokers that do
	 * not report missing subscribers. On other brokers, the lease only matters when
	 * memory is short.
	 * @param lease at least a second. Default ten minutes
	 * @return this builder
	 */
	public StateStoreGatewayBuilder watchLease(Duration lease) {
		this.watchLease = lease;
		return this;
	}

	/**
	 * Sets whether the gateway answers administration requests, such as a request for all
	 * locks with their holders and waiters. It answers every client that the broker
	 * allows to publish to {@code statestore-administration/v1/request}. The gateway
	 * itself must be allowed to subscribe to this topic.
	 * @param administration whether to answer administration requests. Default
	 * {@code false}
	 * @return this builder
	 */
	public StateStoreGatewayBuilder administration(boolean administration) {
		this.administration = administration;
		return this;
	}

	/**
	 * Sets the message format, in which deployed clients differ from the published
	 * articles (protocol section 9).
	 * @param protocolDialect the protocol dialect. Default
	 * {@link ProtocolDialect#CLIENTS}
	 * @return this builder
	 */
	public StateStoreGatewayBuilder protocolDialect(ProtocolDialect protocolDialect) {
		this.protocolDialect = Objects.requireNonNull(protocolDialect, "'protocolDialect' must not be null");
		return this;
	}

	/**
	 * Changes the limits for the store and for client memory, which holds client state,
	 * watched keys, and messages waiting for the broker. The defaults depend on this
	 * JVM's maximum heap.
	 * @param limits returns the new limits, such as
	 * {@code (limits) -> limits.withMaxKeys(10_000)}
	 * @return this builder
	 * @throws InvalidOptionException if a limit is out of range
	 */
	public StateStoreGatewayBuilder limits(UnaryOperator<Limits> limits) {
		this.limits = limits.apply(this.limits);
		return this;
	}

	/**
	 * Reads the rules that decide which keys clients may read and write. The file is read
	 * again after a change. A gateway cannot verify who sends a request, so the rules
	 * must apply to everyone and must not have placeholders. Topic rules have no effect,
	 * because the broker controls access to topics.
	 * @param file a rules file
	 * @return this builder
	 * @throws InvalidOptionException if the file cannot be read, is invalid, or has a
	 * rule that applies only to some clients; the message names the line and explains how
	 * to fix the problem
	 */
	public StateStoreGatewayBuilder rules(Path file) {
		try {
			this.rules = RulesFile.forEveryone(file);
			return this;
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidOptionException("rules", file, "must be a file of rules for everyone", ex.getMessage());
		}
	}

	/**
	 * Keeps keys and values in a directory so that they survive a gateway restart. By
	 * default, they are kept in memory and are lost when the gateway is closed.
	 * @param storage the directory and its fsync and persistence settings
	 * @return this builder
	 */
	public StateStoreGatewayBuilder storage(StorageOptions storage) {
		this.storage = Objects.requireNonNull(storage, "'storage' must not be null");
		return this;
	}

	/**
	 * Makes the gateway a cluster node. The cluster keeps its data in the directories of
	 * all nodes. Requires the {@code statestore-cluster} module and excludes
	 * {@link #storage(StorageOptions)}. Start the node with {@link #startNode()}.
	 * @param cluster the nodes, and this node's directory
	 * @return this builder
	 */
	public StateStoreGatewayBuilder cluster(ClusterOptions cluster) {
		this.cluster = Objects.requireNonNull(cluster, "'cluster' must not be null");
		return this;
	}

	StateStoreGatewayBuilder wallClock(LongSupplier wallClock) {
		this.wallClock = wallClock;
		return this;
	}

	StateStoreGatewayBuilder nanoClock(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		return this;
	}

	/**
	 * Connects and starts serving requests. Waits for at most about half a minute.
	 * @return the running gateway
	 * @throws InvalidOptionException if a setting is invalid, or the limits together
	 * exceed the heap
	 * @throws IllegalStateException if the broker is unavailable, refuses the gateway, or
	 * already has a state store
	 * @throws LogException if the directory cannot be used or its data is damaged; the
	 * message explains how to fix the problem
	 */
	public StateStoreGateway start() {
		if (this.cluster != null) {
			throw new IllegalStateException("The gateway is a node of a cluster; start it with startNode()");
		}
		verify();
		StateStoreServerOptions options = serverOptions();
		if (this.storage != null) {
			options = options.withStorage(this.storage);
		}
		return connect(settings(this.limits.newBudget()), new StateStoreServer(options), null);
	}

	/**
	 * Starts the gateway as a {@linkplain #cluster(ClusterOptions) cluster} node. It
	 * connects to the MQTT broker when it becomes the leader, and retries until that
	 * succeeds.
	 * @return the running node, whose cluster might not have a leader yet
	 * @throws InvalidOptionException if a setting is invalid, or the limits together
	 * exceed the heap
	 * @throws IllegalStateException if the node cannot start, or no cluster is configured
	 * @throws LogException if the directory cannot be used or its data is damaged; the
	 * message explains how to fix the problem
	 */
	public GatewayNode startNode() {
		ClusterOptions cluster = this.cluster;
		if (cluster == null) {
			throw new IllegalStateException("The gateway is not a node of a cluster; set cluster(), or use start()");
		}
		if (this.storage != null) {
			throw new InvalidOptionException("cluster", cluster.node(), "must not be combined with a storage directory",
					"A node keeps its data in its cluster directory");
		}
		verify();
		return GatewayNode.start(cluster, serverOptions(), this.limits.newBudget(),
				(server, node) -> connect(settings(this.limits.newBudget()), server, node));
	}

	private void verify() {
		if (this.port < 1 || this.port > 65_535) {
			throw new InvalidOptionException("port", this.port, "must be 1 to 65535");
		}
		if (this.clientId.isEmpty()) {
			throw new InvalidOptionException("clientId", this.clientId, "must be a client id that is not empty");
		}
		if (this.watchLease.compareTo(Duration.ofSeconds(1)) < 0) {
			throw new InvalidOptionException("watchLease", this.watchLease, "must be at least 1 second");
		}
		HeapPlan.ofThisJvm().require(this.limits, this.storage != null || this.cluster != null);
	}

	private StateStoreServerOptions serverOptions() {
		return StateStoreServerOptions.defaults()
			.withQuota(new Quota(this.limits.maxKeys(), this.limits.maxSize()))
			.withReplyMemory(this.limits.replyMemory())
			.withProtocolDialect(this.protocolDialect)
			.withWallClock(this.wallClock);
	}

	private GatewaySettings settings(MemoryBudget budget) {
		return new GatewaySettings(this.host, this.port, this.clientId, this.username, this.password, this.tls,
				this.watchLease, this.administration, budget);
	}

	private StateStoreGateway connect(GatewaySettings settings, StateStoreServer server,
			@Nullable ClusterOperations cluster) {
		Permissions permissions = (this.rules != null)
				? this.rules.permissions(new Client("", ClientPrincipal.ANONYMOUS)) : Permissions.ALL;
		StateStoreGateway gateway = new StateStoreGateway(settings, server, cluster, permissions, this.wallClock,
				this.nanoClock);
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
