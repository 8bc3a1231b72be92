package io.statestore.broker.artemis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.disk.DiskSpace;
import io.statestore.broker.artemis.disk.DiskState;
import io.statestore.broker.artemis.disk.JournaledServer;
import io.statestore.broker.artemis.disk.MqttDirectory;
import io.statestore.broker.artemis.disk.PeriodicForce;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.session.ClaimRequest;
import io.statestore.broker.artemis.session.ClaimResult;
import io.statestore.broker.artemis.session.ArtemisSessions;
import io.statestore.broker.artemis.session.SubscriptionConsumer;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.OutgoingMessage;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ServiceRegistry;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.core.server.impl.ServiceRegistryImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An embedded Artemis server for ordinary MQTT messages. It does not listen on a port: it
 * takes over connections that the caller has accepted. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public class ArtemisServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ArtemisServer.class);

	/** Interval at which the memory of sessions and topics is compared with Artemis. */
	private static final long SWEEP_MILLIS = 500;

	/** Interval at which queues of shared subscriptions without members are removed. */
	private static final long LEFT_QUEUES_MILLIS = 100;

	/** Interval at which the free space of the disk is read. */
	private static final long DISK_MILLIS = 50;

	private final ActiveMQServerImpl server;

	private final @Nullable MqttDirectory directory;

	/** The file of sessions, {@code null} if they are only in memory. */
	private final @Nullable SessionFile file;

	private final @Nullable DiskState disk;

	/** Writes to the disk in intervals, {@code null} if nothing is to be written so. */
	private final @Nullable PeriodicForce force;

	private final ArtemisThreads threads;

	private final ArtemisSessions sessions;

	private final ReplyPublisher replies;

	private final Consumer<Error> failed;

	/** Startup failure, which Artemis logs instead of throwing. */
	private final AtomicReference<@Nullable Exception> startFailure = new AtomicReference<>();

	private @Nullable NettyAcceptor acceptor;

	private volatile boolean stopping;

	/**
	 * Creates a server that is not started.
	 * @param maxPacketSize maximum size of a packet, in bytes, which the CONNACK
	 * announces
	 * @param directory directory of sessions and messages, or {@code null} to keep them
	 * in memory
	 * @param budget limits the memory of clients
	 * @param nanoTime returns monotonic time in nanoseconds
	 * @param failed receives errors of threads of this server, such as exhausted memory
	 * @throws IllegalStateException if Artemis refuses the configuration, or the
	 * directory cannot be used
	 */
	public ArtemisServer(int maxPacketSize, @Nullable MqttDirectory directory, MemoryBudget budget,
			LongSupplier nanoTime, Consumer<Error> failed) {
		this.directory = directory;
		this.disk = (directory != null) ? directory.openDisk() : null;
		this.file = (directory != null) ? directory.openSessions(nanoTime) : null;
		try {
			Configuration configuration = ArtemisConfiguration.of(maxPacketSize, directory);
			this.threads = new ArtemisThreads(configuration.getThreadPoolMaxSize(), failed);
			ServiceRegistry services = new ServiceRegistryImpl();
			services.setExecutorService(this.threads);
			services.setPageExecutorService(new ArtemisThreads(configuration.getPageMaxConcurrentIO(), failed));
			this.server = (this.disk != null) ? new JournaledServer(configuration, services, this.disk)
					: new ActiveMQServerImpl(configuration, null, null, null, services);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to configure the MQTT broker", ex);
		}
		this.force = (directory != null && this.file != null && this.disk != null)
				? PeriodicForce.of(directory, this.file, this.disk, failed) : null;
		this.failed = failed;
		this.sessions = new ArtemisSessions(this.server, budget, nanoTime, this.file,
				(this.disk != null) ? this.disk : DiskSpace.UNLIMITED);
		this.replies = new ReplyPublisher(this.server);
	}

	/**
	 * Starts the server. After this it takes over connections.
	 * @param initializer completes the pipeline of each connection
	 * @throws Exception if the start fails. To be followed by {@link #stop()} and
	 * {@link #close()}
	 */
	public void start(ConnectionInitializer initializer) throws Exception {
		this.server.registerBrokerPlugin(new ConnectionPlugin(this.sessions, initializer));
		PacketOrder order = (this.directory != null) ? new PacketOrder(this.server, this.sessions) : null;
		this.server.registerBrokerPlugin(new PacketActors(this.server, this.sessions, order));
		if (order != null) {
			this.server.registerBrokerPlugin(order);
		}
		this.server.registerActivationFailureListener(this.startFailure::set);
		AuditLogGuard.start(this.server);
		this.server.getManagementService().enableNotifications(false);
		if (!(this.server.getRemotingService()
			.getAcceptor(ArtemisConfiguration.ACCEPTOR) instanceof NettyAcceptor acceptor)) {
			throw notStarted(this.startFailure.get(), this.directory);
		}
		if (this.disk != null) {
			// Precedes the interceptors that store what is acknowledged.
			this.server.getRemotingService().addOutgoingInterceptor(new FailedWrites(this.disk));
			schedule(this.disk::check, DISK_MILLIS);
		}
		this.sessions.install();
		schedule(this.sessions::sweep, SWEEP_MILLIS);
		schedule(this.sessions::sweepLeftQueues, LEFT_QUEUES_MILLIS);
		if (this.force != null) {
			this.force.start();
		}
		acceptor.start();
		this.acceptor = acceptor;
	}

	/** Returns an exception with the message of the root cause of a failure. */
	static IllegalStateException notStarted(@Nullable Exception failure, @Nullable MqttDirectory directory) {
		if (failure == null) {
			return new IllegalStateException("The MQTT broker did not start. Its errors precede this one in the log");
		}
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		String reason = (root.getMessage() != null) ? root.getMessage() : root.toString();
		String next = (directory != null) ? ". If the files in " + directory.path()
				+ " are damaged or from another version, delete that folder. The store then "
				+ "keeps its keys, but MQTT sessions and retained messages are lost" : "";
		return new IllegalStateException("The MQTT broker did not start: " + reason + next, failure);
	}

	private void schedule(Runnable sweep, long millis) {
		this.server.getScheduledPool()
			.scheduleWithFixedDelay(() -> attempt(sweep), millis, millis, TimeUnit.MILLISECONDS);
	}

	/** Runs a sweep. An exception would end its schedule. */
	void attempt(Runnable sweep) {
		if (this.stopping) {
			return;
		}
		try {
			sweep.run();
		}
		catch (RuntimeException ex) {
			if (this.stopping) {
				logger.debug("Failed to compare the memory of sessions and topics while the broker stops", ex);
			}
			else {
				logger.warn("Failed to compare the memory of sessions and topics; continuing", ex);
			}
		}
		catch (Error ex) {
			this.failed.accept(ex);
		}
	}

	/**
	 * Takes over an accepted connection.
	 * @param connection the connection; called on its event loop
	 * @param memory the share of its client
	 * @throws IllegalStateException if this server is not started or is stopping
	 */
	public void accept(Channel connection, ClientShare memory) {
		NettyAcceptor acceptor = this.acceptor;
		if (acceptor == null) {
			throw new IllegalStateException("The MQTT broker is not started");
		}
		connection.attr(ConnectionPlugin.MEMORY).set(memory);
		acceptor.transfer(connection);
	}

	/**
	 * Passes the subscriptions of a session to a consumer.
	 * @param clientId id of the client
	 * @param target receives the subscriptions, none if the client has no session
	 */
	public void copySubscriptions(String clientId, SubscriptionConsumer target) {
		this.sessions.copySubscriptions(clientId, target);
	}

	/**
	 * Sets the condition under which the will of a connected client is published.
	 * @param connection the connection of the client
	 * @param condition the condition, called on any thread, or {@code null} for none.
	 * Must not refer to the connection, with which it is forgotten
	 */
	public void guardWill(Channel connection, @Nullable BooleanSupplier condition) {
		this.sessions.guardWill(connection, condition);
	}

	/**
	 * Reserves a client id for a connection.
	 * @param connection the connection
	 * @param request the request
	 * @return the claim, to be closed after the end of the connection
	 */
	public ClientIdClaim claim(Channel connection, ClaimRequest request) {
		ClaimResult result = this.sessions.claim(request);
		if (result != ClaimResult.GRANTED) {
			return ClientIdClaim.refused(result);
		}
		ClientIdClaim claim = new ClientIdClaim(() -> this.sessions.release(request.clientId()));
		connection.attr(ClientIdClaim.KEY).set(claim);
		return claim;
	}

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply
	 * @throws IllegalStateException if Artemis fails to route it
	 */
	public void publish(OutgoingMessage reply) {
		this.replies.publish(reply);
	}

	/**
	 * Returns whether at least one MQTT client is connected.
	 * @return {@code false} if this server is not started, or has no clients
	 */
	public boolean hasConnectedClients() {
		return this.server.isStarted() && this.sessions.hasConnectedClients();
	}

	/**
	 * Returns whether the journal of messages has failed, so that messages that it would
	 * store are refused until a restart.
	 * @return {@code false} if there is none
	 */
	public boolean hasFailedJournal() {
		return this.disk != null && this.disk.isPreviouslyFailed();
	}

	/**
	 * Suspends the sweeps, which may fail while connections end. To be called before
	 * clients are disconnected for a stop.
	 */
	public void prepareStop() {
		this.stopping = true;
	}

	/**
	 * Ends all sessions and stops the server. To be called when all connections have
	 * ended.
	 * @throws Exception if Artemis fails to stop
	 */
	public void stop() throws Exception {
		prepareStop();
		if (this.disk != null) {
			this.disk.stop();
		}
		// The end of a connection uses parts of the server that are stopped below.
		this.threads.awaitIdle();
		if (this.acceptor != null) {
			this.sessions.close();
		}
		try {
			this.server.stop();
		}
		finally {
			if (this.force != null) {
				this.force.stop();
			}
			if (this.file != null) {
				this.file.close();
			}
		}
	}

	/** Ends the threads, after {@link #stop()}. */
	@Override
	public void close() {
		this.threads.awaitIdle();
		this.threads.shutdown();
	}

}
