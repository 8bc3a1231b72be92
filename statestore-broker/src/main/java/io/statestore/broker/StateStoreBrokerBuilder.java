package io.statestore.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.mqtt.MqttSecurity;
import io.statestore.broker.mqtt.NetworkSettings;
import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.RulesFile;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.InvalidOptionException;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Builder for a {@link StateStoreBroker}. Every method throws an
 * {@link InvalidOptionException} if its argument is invalid. Not thread-safe.
 */
public final class StateStoreBrokerBuilder {

	private static final int MAX_PORT = 65_535;

	private static final int MIN_PACKET_SIZE = 1024;

	/** Largest remaining length that MQTT can encode. */
	private static final int MAX_PACKET_SIZE = 268_435_455;

	private static final int DEFAULT_PACKET_SIZE = 16 * 1024 * 1024;

	/**
	 * Maximum packet size in a cluster, which is also the maximum size of log entries.
	 * While a leader is sending a larger entry, it would send no heartbeats.
	 */
	private static final int MAX_CLUSTER_PACKET_SIZE = 4 * 1024 * 1024;

	/** Largest remaining length that MQTT encodes in three bytes. */
	private static final int MAX_CONNECT_SIZE = 2_097_151;

	/** The longest session expiry that MQTT can encode, in whole days. */
	private static final Duration MAX_SESSION_EXPIRY = Duration.ofDays(49_710);

	private String host = "localhost";

	private int port;

	private final List<Authenticator> authenticators = new ArrayList<>();

	private @Nullable AnonymousAccess anonymous;

	/**
	 * Changes the default limits, which depend on whether the broker is a cluster node.
	 */
	private UnaryOperator<Limits> limits = (defaults) -> defaults;

	private PrincipalLimits principalLimits = PrincipalLimits.DEFAULT;

	private @Nullable Integer maxPacketSize;

	private @Nullable Integer maxConnectSize;

	private @Nullable Integer maxPropertiesSize;

	private long maxSessionExpirySeconds = Sessions.NO_EXPIRY;

	private NetworkSettings network = NetworkSettings.DEFAULT;

	private ProtocolDialect protocolDialect = ProtocolDialect.CLIENTS;

	private AdministrationAccess administration = AdministrationAccess.TRUSTED;

	private @Nullable Authorizer authorizer;

	private @Nullable StorageOptions storage;

	private @Nullable ClusterOptions cluster;

	private TimeSource time = TimeSource.SYSTEM;

	StateStoreBrokerBuilder() {
	}

	/**
	 * Sets the host to listen on.
	 * @param host a name or address of this machine, or {@code 0.0.0.0} for all
	 * addresses. Default {@code localhost}
	 * @return this builder
	 * @throws InvalidOptionException if the host is blank or contains a comma
	 */
	public StateStoreBrokerBuilder host(String host) {
		this.host = oneHost("host", host);
		return this;
	}

	private static String oneHost(String option, String host) {
		if (host.isBlank() || host.indexOf(',') >= 0) {
			throw new InvalidOptionException(option, host,
					"must be one host name or address, such as localhost or 0.0.0.0");
		}
		return host;
	}

	/**
	 * Sets the TCP port to listen on.
	 * @param port the port, 0 to 65,535. Default 0, which selects a free port
	 * @return this builder
	 * @throws InvalidOptionException if the port is out of range
	 */
	public StateStoreBrokerBuilder port(int port) {
		this.port = (int) InvalidOptionException.requireWithin("port", port, 0, MAX_PORT);
		return this;
	}

	/**
	 * Adds a user with a password. Call this method once for each user. For users in a
	 * file, add a {@link PasswordFile} as an {@linkplain #authenticator(Authenticator)
	 * authenticator}.
	 * @param user the user name, not empty
	 * @param password the password, not empty
	 * @return this builder
	 * @throws InvalidOptionException if the name or the password is empty
	 */
	public StateStoreBrokerBuilder account(String user, String password) {
		if (user.isEmpty()) {
			throw new InvalidOptionException("user", user, "must be a user name that is not empty");
		}
		if (password.isEmpty()) {
			throw new InvalidOptionException("password", password, "must be a password that is not empty");
		}
		return authenticator(new Account(user, password));
	}

	/**
	 * Adds an authenticator. The broker consults authenticators in the order in which
	 * they were added, including those of {@link #account(String, String)}.
	 * @param authenticator verifies clients' credentials
	 * @return this builder
	 */
	public StateStoreBrokerBuilder authenticator(Authenticator authenticator) {
		this.authenticators.add(Objects.requireNonNull(authenticator, "'authenticator' must not be null"));
		return this;
	}

	/**
	 * Sets which clients may connect without logging in.
	 * @param anonymous the clients. Default {@link AnonymousAccess#LOOPBACK} without
	 * authenticators, otherwise {@link AnonymousAccess#NONE}
	 * @return this builder
	 */
	public StateStoreBrokerBuilder anonymous(AnonymousAccess anonymous) {
		this.anonymous = Objects.requireNonNull(anonymous, "'anonymous' must not be null");
		return this;
	}

	/**
	 * Changes the limits for the store and for client memory. The defaults depend on this
	 * JVM's maximum heap. In a cluster, the defaults for the store are fixed, because all
	 * nodes need the same limits.
	 * @param limits returns the new limits, such as
	 * {@code (limits) -> limits.withMaxKeys(10_000)}
	 * @return this builder
	 * @throws InvalidOptionException if a limit is out of range
	 */
	public StateStoreBrokerBuilder limits(UnaryOperator<Limits> limits) {
		// Reports an invalid value immediately, where it is set.
		limits.apply(Limits.ofThisJvm());
		UnaryOperator<Limits> before = this.limits;
		this.limits = (defaults) -> limits.apply(before.apply(defaults));
		return this;
	}

	/**
	 * Changes the limits that apply to each principal, that is, to all clients logged in
	 * with the same name together. Anonymous clients are exempt.
	 * @param limits returns the new limits, such as
	 * {@code (limits) -> limits.withMaxConnections(10)}
	 * @return this builder
	 * @throws InvalidOptionException if a limit is out of range
	 */
	public StateStoreBrokerBuilder principalLimits(UnaryOperator<PrincipalLimits> limits) {
		this.principalLimits = limits.apply(this.principalLimits);
		return this;
	}

	/**
	 * Sets the maximum size of MQTT packets from clients, which limits the size of
	 * values. The broker announces it to clients when they connect.
	 * @param maxPacketSize in bytes, 1024 to 268,435,455, and at most the memory per
	 * client; at most 4 MiB in a cluster. Default 16 MiB (4 MiB in a cluster), or the
	 * memory per client if that is less
	 * @return this builder
	 * @throws InvalidOptionException if the size is out of range
	 */
	public StateStoreBrokerBuilder maxPacketSize(long maxPacketSize) {
		this.maxPacketSize = (int) InvalidOptionException.requireWithin("maxPacketSize", maxPacketSize, MIN_PACKET_SIZE,
				MAX_PACKET_SIZE);
		return this;
	}

	/**
	 * Sets the maximum size of a CONNECT packet, which precedes the login. The broker
	 * refuses a larger packet with reason code 0x95, Packet too large.
	 * @param maxConnectSize in bytes, 1024 to 2,097,151, and at most the
	 * {@linkplain #maxPacketSize(long) maximum packet size}. Default 64 KiB
	 * @return this builder
	 * @throws InvalidOptionException if the size is out of range
	 */
	public StateStoreBrokerBuilder maxConnectSize(long maxConnectSize) {
		this.maxConnectSize = (int) InvalidOptionException.requireWithin("maxConnectSize", maxConnectSize,
				MIN_PACKET_SIZE, MAX_CONNECT_SIZE);
		return this;
	}

	/**
	 * Sets the maximum size of an MQTT packet's properties. Decoded properties take many
	 * times their size in memory. A client that exceeds the maximum is disconnected with
	 * reason code 0x95, Packet too large.
	 * @param maxPropertiesSize in bytes, 1024 to 268,435,455, and at most the
	 * {@linkplain #maxPacketSize(long) maximum packet size}. Default 64 KiB
	 * @return this builder
	 * @throws InvalidOptionException if the size is out of range
	 */
	public StateStoreBrokerBuilder maxPropertiesSize(long maxPropertiesSize) {
		this.maxPropertiesSize = (int) InvalidOptionException.requireWithin("maxPropertiesSize", maxPropertiesSize,
				MIN_PACKET_SIZE, MAX_PACKET_SIZE);
		return this;
	}

	/**
	 * Sets how long an MQTT session, with its subscriptions and messages, may outlive its
	 * connection. Also limits sessions for which clients request a longer time, and MQTT
	 * 3.1.1 sessions without Clean Session.
	 * @param maxSessionExpiry 1 second to 49,710 days, without fractions of a second. By
	 * default, there is no maximum
	 * @return this builder
	 * @throws InvalidOptionException if the time is out of range
	 */
	public StateStoreBrokerBuilder maxSessionExpiry(Duration maxSessionExpiry) {
		if (maxSessionExpiry.toSeconds() < 1 || maxSessionExpiry.compareTo(MAX_SESSION_EXPIRY) > 0) {
			throw new InvalidOptionException("maxSessionExpiry", maxSessionExpiry, "must be 1s to 49710d");
		}
		this.maxSessionExpirySeconds = maxSessionExpiry.toSeconds();
		return this;
	}

	/**
	 * Encrypts all connections with TLS. By default, the broker uses plain TCP.
	 * @param tls the broker's certificate, and whether clients need a certificate
	 * @return this builder
	 */
	public StateStoreBrokerBuilder tls(ServerTls tls) {
		this.network = this.network.withTls(Objects.requireNonNull(tls, "'tls' must not be null"));
		return this;
	}

	/**
	 * Sets the maximum number of open connections from one address. The broker closes any
	 * additional connections. A sixteenth of the maximum, but at least 16 connections,
	 * may lack a complete CONNECT. Above that, a new connection replaces the oldest of
	 * these.
	 * @param maxConnectionsPerAddress at least 1. Default 4,096
	 * @return this builder
	 * @throws InvalidOptionException if the number is less than 1
	 */
	public StateStoreBrokerBuilder maxConnectionsPerAddress(int maxConnectionsPerAddress) {
		this.network = this.network.withMaxConnectionsPerAddress((int) InvalidOptionException
			.requireWithin("maxConnectionsPerAddress", maxConnectionsPerAddress, 1, Integer.MAX_VALUE));
		return this;
	}

	/**
	 * Sets the message format, in which deployed clients differ from the published
	 * articles (protocol section 9).
	 * @param protocolDialect the protocol dialect. Default
	 * {@link ProtocolDialect#CLIENTS}
	 * @return this builder
	 */
	public StateStoreBrokerBuilder protocolDialect(ProtocolDialect protocolDialect) {
		this.protocolDialect = Objects.requireNonNull(protocolDialect, "'protocolDialect' must not be null");
		return this;
	}

	/**
	 * Sets which clients may send administration requests, such as a request for all
	 * locks with their holders and waiters. Has no effect with an
	 * {@linkplain #authorizer(Authorizer) authorizer} or {@linkplain #rules(Path) rules}.
	 * @param administration the clients. Default {@link AdministrationAccess#TRUSTED}
	 * @return this builder
	 */
	public StateStoreBrokerBuilder administration(AdministrationAccess administration) {
		this.administration = Objects.requireNonNull(administration, "'administration' must not be null");
		return this;
	}

	/**
	 * Sets the authorizer, which decides which requests and messages each client may send
	 * and receive. It replaces {@linkplain #rules(Path) rules} that were set earlier. It
	 * also decides about administration requests, in place of
	 * {@link #administration(AdministrationAccess)}.
	 * @param authorizer the authorizer. By default, everything is permitted
	 * @return this builder
	 */
	public StateStoreBrokerBuilder authorizer(Authorizer authorizer) {
		this.authorizer = Objects.requireNonNull(authorizer, "'authorizer' must not be null");
		return this;
	}

	/**
	 * Reads the rules that decide which requests and messages each client may send and
	 * receive. The file is read again within two seconds of a change. If it becomes
	 * invalid, the last valid rules remain in force. Replaces an
	 * {@linkplain #authorizer(Authorizer) authorizer} that was set earlier.
	 * @param file a rules file
	 * @return this builder
	 * @throws InvalidOptionException if the file cannot be read or is invalid; the
	 * message names the line and explains how to fix the problem
	 */
	public StateStoreBrokerBuilder rules(Path file) {
		try {
			return authorizer(RulesFile.of(file));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidOptionException("rules", file, "must be a file of rules", ex.getMessage());
		}
	}

	/**
	 * Keeps the data in a directory so that it survives a restart. By default, all data
	 * is kept in memory and is lost when the broker is closed.
	 * @param storage the directory and its fsync and persistence settings
	 * @return this builder
	 */
	public StateStoreBrokerBuilder storage(StorageOptions storage) {
		this.storage = Objects.requireNonNull(storage, "'storage' must not be null");
		return this;
	}

	/**
	 * Makes the broker a cluster node. The cluster keeps its data, including MQTT
	 * sessions and retained messages, in the directories of all nodes. Requires the
	 * {@code statestore-cluster} module and excludes {@link #storage(StorageOptions)}.
	 * Non-retained QoS 0 messages and sessions that end with their connection are lost
	 * when another node becomes the leader.
	 * @param cluster the nodes, and this node's directory
	 * @return this builder
	 */
	public StateStoreBrokerBuilder cluster(ClusterOptions cluster) {
		this.cluster = Objects.requireNonNull(cluster, "'cluster' must not be null");
		return this;
	}

	/**
	 * Sets the time source by which keys expire and versions are issued, for tests. It is
	 * public because test libraries are in other packages. MQTT features (keep-alive,
	 * session expiry, and message expiry) always use the system's time.
	 * @param time the time source; {@link TimeSource#SYSTEM} by default
	 * @return this builder
	 */
	public StateStoreBrokerBuilder time(TimeSource time) {
		this.time = Objects.requireNonNull(time, "'time' must not be null");
		return this;
	}

	/**
	 * Starts a broker. Blocks until clients can connect. A cluster node listens, but does
	 * not accept clients until it {@linkplain StateStoreBroker#isReady() is ready}.
	 * @return a running broker
	 * @throws IllegalStateException if the broker cannot listen; the message names host,
	 * port, and reason. Also thrown if a cluster node cannot start
	 * @throws InvalidOptionException if all limits together exceed the heap, or options
	 * contradict each other
	 * @throws LogException if the directory cannot be used or its data is damaged; the
	 * message explains how to fix the problem
	 */
	public StateStoreBroker start() {
		if (this.cluster != null && this.storage != null) {
			throw new InvalidOptionException("cluster", this.cluster.node(),
					"must not be combined with a storage directory", "A node keeps its data in its cluster directory");
		}
		Limits limits = this.limits.apply((this.cluster != null) ? Limits.ofNode() : Limits.ofThisJvm());
		HeapPlan heap = HeapPlan.ofThisJvm();
		heap.require(limits, this.storage != null || this.cluster != null);
		MemoryBudget budget = limits.newBudget();
		requireClusterPacketSize();
		int packet = atMost("maxPacketSize", this.maxPacketSize,
				(this.cluster != null) ? MAX_CLUSTER_PACKET_SIZE : DEFAULT_PACKET_SIZE, budget.maxBytesPerClient(),
				"the memory of one client", "memoryPerClient");
		int connect = atMost("maxConnectSize", this.maxConnectSize, MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE, packet,
				"the largest packet", "maxPacketSize");
		int properties = atMost("maxPropertiesSize", this.maxPropertiesSize, MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE,
				packet, "the largest packet", "maxPacketSize");
		Quota quota = new Quota(limits.maxKeys(), limits.maxSize(), this.principalLimits.maxKeys(limits.maxKeys()));
		// The session limits are the same on all nodes, regardless of their heaps.
		MemoryBudget sessions = (this.cluster != null) ? this.limits.apply(HeapPlan.OF_NODE.limits()).newBudget()
				: budget;
		quota = quota.withSessions(sessions.maxLasting(), sessions.maxBytesPerClient());
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withQuota(quota)
			.withReplyMemory(limits.replyMemory())
			.withProtocolDialect(this.protocolDialect)
			.withTime(this.time);
		MqttBrokerSettings settings = new MqttBrokerSettings(this.host, this.port, packet, connect, properties)
			.withMaxSessionExpiry(this.maxSessionExpirySeconds)
			.withPrincipals(new Principals(this.principalLimits))
			.withNetwork(this.network)
			.withTime(this.time)
			.withSecurity(security());
		if (this.storage != null) {
			options = options.withStorage(this.storage);
		}
		if (this.cluster != null) {
			return new StateStoreBroker(settings, ClusterBroker.start(this.cluster, settings, this.administration,
					options, heap.replicaMemory(limits), budget));
		}
		// The server locks the directory, so it is created first.
		return new StateStoreBroker(settings,
				new SingleBroker(settings, this.administration, new StateStoreServer(options), budget));
	}

	private void requireClusterPacketSize() {
		Integer size = this.maxPacketSize;
		if (this.cluster != null && size != null && size > MAX_CLUSTER_PACKET_SIZE) {
			throw new InvalidOptionException("maxPacketSize", size,
					"must be " + MIN_PACKET_SIZE + " to " + MAX_CLUSTER_PACKET_SIZE + " in a cluster");
		}
	}

	private MqttSecurity security() {
		AnonymousAccess access = (this.anonymous != null) ? this.anonymous
				: (this.authenticators.isEmpty() ? AnonymousAccess.LOOPBACK : AnonymousAccess.NONE);
		return new MqttSecurity(this.authenticators, access, this.authorizer);
	}

	/** Returns the configured size, or the default reduced to the maximum. */
	private static int atMost(String option, @Nullable Integer size, int defaultSize, long max, String reason,
			String limitingOption) {
		if (size == null) {
			return (int) Math.min(defaultSize, max);
		}
		if (size > max) {
			throw InvalidOptionException.limited(option, size,
					"must be " + MIN_PACKET_SIZE + " to " + max + ", " + reason, limitingOption);
		}
		return size;
	}

}
