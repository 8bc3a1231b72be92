package io.statestore.broker.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.statestore.broker.engine.LockState;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.AdministrationRequest;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.SessionEnd;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles administration requests, which are a project-specific extension. Each answer is
 * consistent: it reflects the state between two entries. Used only within the serial
 * executor.
 */
final class AdministrationHandler {

	private static final Logger logger = LoggerFactory.getLogger(AdministrationHandler.class);

	/** Estimated size of a lock's field names and numbers in an answer, in bytes. */
	private static final int LOCK_OVERHEAD = 256;

	private final StateMachine machine;

	private final CommandLog log;

	private final LogClock logClock;

	private final Connections connections;

	private final Admission admission;

	private final Watches watches;

	private final StateStoreServerCounters counters;

	private final DeferredRequests deferredRequests;

	private final Backups backups;

	AdministrationHandler(Proposer proposer, Admission admission, Watches watches, StateStoreServerCounters counters,
			DeferredRequests deferredRequests, Backups backups) {
		this.machine = proposer.machine();
		this.log = proposer.log();
		this.logClock = proposer.logClock();
		this.connections = admission.connections();
		this.admission = admission;
		this.watches = watches;
		this.counters = counters;
		this.deferredRequests = deferredRequests;
		this.backups = backups;
	}

	/**
	 * Handles a request. A refusal is answered immediately. A request to the cluster, or
	 * for clients, sessions, or the history, is answered once the result is known. All
	 * other requests are answered after the same client's earlier requests.
	 * @param request the request as received
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param waited the time since the request arrived, in nanoseconds
	 * @param cluster this server's cluster, or {@code null} if it is not a cluster node
	 * @param sessions this server's MQTT clients and sessions, or {@code null} if it has
	 * none
	 */
	void handle(IncomingRequest request, @Nullable AdministrationCall call, long waited,
			@Nullable ClusterOperations cluster, @Nullable SessionOperations sessions) {
		if (!this.admission.admits(request, call != null, waited) || call == null) {
			return;
		}
		AdministrationRequest query = call.query();
		if (query == null) {
			answer(call, () -> refusal(call.refusal()));
		}
		else if (query instanceof ClusterRequest clusterRequest) {
			this.deferredRequests.handle(call, clusterRequest, cluster);
		}
		else if (query instanceof ClientQuery || query instanceof SessionQuery || query instanceof SessionEnd) {
			this.deferredRequests.handle(call, query, sessions);
		}
		else if (this.admission.refuses(request)) {
			inOrder(call, () -> {
				this.counters.countRefused();
				return refusal(ErrorReason.QUOTA_EXCEEDED);
			});
		}
		else if (query instanceof HistoryQuery historyQuery) {
			// Confirms that this node still leads, because a newer leader may have made
			// more changes.
			this.log.confirm(call.request().connection(), () -> this.deferredRequests.handle(call, historyQuery),
					call.bytes());
		}
		else if (query instanceof BackupQuery backupQuery) {
			inOrder(call, () -> this.backups.page(request.connection(), backupQuery));
		}
		else {
			inOrder(call, () -> locks((LockQuery) query));
		}
	}

	/** Called after entries have been applied. */
	void applied() {
		this.backups.limit();
	}

	void disconnected(ClientConnection connection) {
		this.backups.disconnected(connection);
	}

	/** Ends the backup that a client is reading, if any. */
	void end() {
		this.backups.end("the server stops, or no longer leads");
	}

	private void inOrder(AdministrationCall call, Supplier<byte[]> payload) {
		this.connections.inOrder(call.request().connection(), call.bytes(), () -> answer(call, payload));
	}

	private static byte[] refusal(ErrorReason reason) {
		return Replies.encode(new Reply.Error(reason));
	}

	private void answer(AdministrationCall call, Supplier<byte[]> payload) {
		try {
			OutgoingMessage message = message(call, payload.get());
			this.log.confirm(call.request().connection(), () -> send(call, message),
					call.bytes() + message.payload().length);
		}
		catch (RuntimeException ex) {
			logger.error("Failed to answer an administration request of client '{}'. This is a bug: report it with "
					+ "this stack trace", call.request().connection().clientId(), ex);
			RequestHandler.acknowledge(call.request(), ReasonCodes.UNSPECIFIED);
		}
	}

	/** Sends an answer. Must be called within the serial executor. */
	static void send(AdministrationCall call, byte[] payload) {
		send(call, message(call, payload));
	}

	private static OutgoingMessage message(AdministrationCall call, byte[] payload) {
		return new OutgoingMessage(OutgoingMessage.Kind.REPLY, call.responseTopic(), payload, call.correlationData(),
				List.of());
	}

	private static void send(AdministrationCall call, OutgoingMessage message) {
		int reasonCode = ReasonCodes.UNSPECIFIED;
		try {
			call.request().connection().send(message);
			reasonCode = ReasonCodes.SUCCESS;
		}
		catch (RuntimeException ex) {
			logger.error("Failed to answer an administration request of client '{}'. This is a bug: report it with "
					+ "this stack trace", call.request().connection().clientId(), ex);
		}
		RequestHandler.acknowledge(call.request(), reasonCode);
	}

	private byte[] locks(LockQuery query) {
		List<StoredLock> locks = new ArrayList<>();
		try {
			Bytes token = this.machine.locks(query, this.logClock.now(), (lock, successor) -> {
				StoredLock described = describe(lock, successor);
				locks.add(described);
				return size(described);
			});
			return Administration.encode(new AdministrationPage<>(locks,
					(token != null) ? new String(token.toArray(), StandardCharsets.ISO_8859_1) : null));
		}
		catch (ProtocolException ex) {
			return refusal(ex.reason());
		}
	}

	private StoredLock describe(LockState lock, @Nullable LockState successor) {
		Waiters waiters = new Waiters(lock, successor, this.connections, this.watches);
		Requester client = lock.client();
		String clientId = (client != null) ? ShortIds.shorten(client.clientId()) : null;
		String principal = (client != null && client.principal() != null) ? ShortIds.shorten(client.principal()) : null;
		return new StoredLock(lock.key(), lock.holder(), lock.version(), lock.token(), clientId, principal,
				lock.remaining(), waiters.successor(), waiters.count());
	}

	private static int size(StoredLock lock) {
		int size = LOCK_OVERHEAD + lock.key().length() + lock.holder().length();
		size += (lock.client() != null) ? ShortIds.size(lock.client()) : 0;
		size += (lock.principal() != null) ? ShortIds.size(lock.principal()) : 0;
		size += (lock.successor() != null) ? ShortIds.size(lock.successor()) : 0;
		return size;
	}

}
