package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.AdministrationRequest;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import io.statestore.protocol.ConnectedClient;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.SessionEnd;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredLock;
import io.statestore.protocol.StoredSession;
import org.jspecify.annotations.Nullable;

/**
 * Client for administration requests, which only servers of this project answer.
 * Subscribes to a separate response topic. Sends no request twice. Thread-safe; never
 * blocks.
 */
public final class AdministrationClient {

	private static final String TOPIC = Administration.REQUEST_TOPIC;

	private final MqttConnection connection;

	private final CorrelationData correlationData = new CorrelationData();

	private final Map<Bytes, Request<?>> requests = new ConcurrentHashMap<>();

	private final String responseTopic;

	private final CompletableFuture<Void> subscribed;

	/**
	 * Creates a client on a connection that is in use.
	 * @param connection the connection
	 */
	public AdministrationClient(StateStoreConnection connection) {
		this(ConnectionAccess.of(connection));
	}

	AdministrationClient(MqttConnection connection) {
		this.connection = connection;
		this.responseTopic = Administration.responseTopic(connection.getClientId());
		this.subscribed = connection.addSubscription(this.responseTopic, this::answered);
	}

	/**
	 * Requests a page of locks.
	 * @param query the request
	 * @param timeout maximum time until the answer
	 * @return a future that fails with an {@link AdministrationUnavailableException} if
	 * no server answers, a {@link StateStoreRefusedException} if the server refuses, and
	 * another {@link StateStoreException} if the answer is malformed
	 */
	public CompletableFuture<AdministrationPage<StoredLock>> locks(LockQuery query, Duration timeout) {
		return page(query, StoredLock.class, timeout);
	}

	/**
	 * Requests the state of a cluster's nodes.
	 * @param timeout maximum time until the answer
	 * @return a future that fails as that of {@link #locks}
	 */
	public CompletableFuture<List<ClusterNodeState>> nodes(Duration timeout) {
		return page(ClusterRequest.of(Action.STATUS), ClusterNodeState.class, timeout)
			.thenApply(AdministrationPage::items);
	}

	/**
	 * Requests a change of a cluster.
	 * @param request the change
	 * @param timeout maximum time until the answer. The change may be made later
	 * @return a future that fails as that of {@link #locks}. The message of a refusal is
	 * that of the server, and begins with {@link Administration#NOT_YET} if the request
	 * can be repeated
	 */
	public CompletableFuture<Void> change(ClusterRequest request, Duration timeout) {
		return send(request, (answer) -> {
			Administration.decodeReply(Reply.Ok.class, answer);
			return null;
		}, timeout);
	}

	/**
	 * Requests a page of the clients that are connected to the server.
	 * @param query the request
	 * @param timeout maximum time until the answer
	 * @return a future that fails as that of {@link #locks}
	 */
	public CompletableFuture<AdministrationPage<ConnectedClient>> clients(ClientQuery query, Duration timeout) {
		return page(query, ConnectedClient.class, timeout);
	}

	/**
	 * Requests a page of MQTT sessions.
	 * @param query the request
	 * @param timeout maximum time until the answer
	 * @return a future that fails as that of {@link #locks}
	 */
	public CompletableFuture<AdministrationPage<StoredSession>> sessions(SessionQuery query, Duration timeout) {
		return page(query, StoredSession.class, timeout);
	}

	/**
	 * Requests a page of a backup.
	 * @param query the request
	 * @param timeout maximum time until the answer
	 * @return a future that fails as that of {@link #change}
	 */
	public CompletableFuture<AdministrationPage<Bytes>> backup(BackupQuery query, Duration timeout) {
		return page(query, Bytes.class, timeout);
	}

	/**
	 * Requests a page of the history, which every client may do.
	 * {@link io.statestore.client.history.StateHistory} reads all pages.
	 * @param query the request
	 * @param timeout maximum time until the answer
	 * @return a future that fails as that of {@link #locks}. The message of a refusal is
	 * that of the server
	 */
	public CompletableFuture<AdministrationPage<StoredChange>> history(HistoryQuery query, Duration timeout) {
		return page(query, StoredChange.class, timeout);
	}

	/**
	 * Requests the end of an MQTT session, and disconnects its client.
	 * @param end the request
	 * @param timeout maximum time until the answer. The session may end later
	 * @return a future with whether there was a session. It fails as that of
	 * {@link #locks}
	 */
	public CompletableFuture<Boolean> endSession(SessionEnd end, Duration timeout) {
		return send(end, (answer) -> Administration.decodeReply(Reply.Count.class, answer).number() > 0, timeout);
	}

	private <T> CompletableFuture<AdministrationPage<T>> page(AdministrationRequest query, Class<T> type,
			Duration timeout) {
		return send(query, (answer) -> Administration.decodePage(type, answer), timeout);
	}

	private <T extends @Nullable Object> CompletableFuture<T> send(AdministrationRequest content,
			Function<Bytes, T> decoder, Duration timeout) {
		Request<T> request = new Request<>(Administration.encode(content), decoder, timeout);
		this.requests.put(request.correlationData, request);
		request.future.whenComplete((page, failure) -> {
			this.requests.remove(request.correlationData);
			this.connection.flow().withdraw(request);
		});
		this.connection.resources()
			.timer()
			.schedule(
					() -> failLater(request, "No server at " + this.connection.getUrl()
							+ " answered the administration request within " + timeout.toMillis() + " ms"),
					timeout.toNanos(), TimeUnit.NANOSECONDS);
		this.subscribed.whenComplete((granted, refusal) -> {
			if (refusal != null) {
				request.fail(new AdministrationUnavailableException(String.valueOf(refusal.getMessage())));
			}
			else {
				this.connection.flow().submit(request);
			}
		});
		return request.future;
	}

	/** Fails a request on a thread that may block. */
	private void failLater(Request<?> request, String message) {
		this.connection.resources()
			.replies()
			.execute(() -> request.fail(new AdministrationUnavailableException(message)));
	}

	private void answered(LinkMessage answer) {
		Bytes correlationData = answer.correlationData();
		Request<?> request = (correlationData != null) ? this.requests.get(correlationData) : null;
		if (request != null) {
			this.connection.resources().replies().execute(() -> request.answered(Bytes.wrap(answer.payload())));
		}
	}

	/** A request until its answer. */
	private final class Request<T extends @Nullable Object> implements FlowControl.Outgoing {

		private final CompletableFuture<T> future = new CompletableFuture<>();

		private final Bytes correlationData = AdministrationClient.this.correlationData.next();

		private final byte[] payload;

		private final Function<Bytes, T> decoder;

		private final Duration timeout;

		Request(byte[] payload, Function<Bytes, T> decoder, Duration timeout) {
			this.payload = payload;
			this.decoder = decoder;
			this.timeout = timeout;
		}

		@Override
		public @Nullable Submission send(Link link) {
			if (this.future.isDone()) {
				return null;
			}
			AdministrationClient client = AdministrationClient.this;
			LinkMessage message = new LinkMessage(TOPIC, this.payload, 1, false, false, this.timeout.toSeconds() + 1,
					"application/octet-stream", client.responseTopic, this.correlationData, List.of());
			return link.publish(message, (reasonCodes) -> acknowledged(link, reasonCodes[0]));
		}

		private void acknowledged(Link link, int reasonCode) {
			AdministrationClient.this.connection.flow().release(link, this);
			if (reasonCode == ReasonCode.NO_MATCHING_SUBSCRIBERS || ReasonCode.isFailure(reasonCode)) {
				failLater(this, "The broker at " + AdministrationClient.this.connection.getUrl()
						+ " did not accept the administration request: " + ReasonCode.describe(reasonCode));
			}
		}

		private void answered(Bytes payload) {
			try {
				this.future.complete(this.decoder.apply(payload));
			}
			catch (ProtocolException ex) {
				fail(failure(ex));
			}
		}

		private StateStoreException failure(ProtocolException ex) {
			if (ex.reason() == ErrorReason.UNKNOWN) {
				return new StateStoreRefusedException(ex.reason(), String.valueOf(ex.getMessage()));
			}
			if (ex.reason() == ErrorReason.UNKNOWN_COMMAND) {
				return new StateStoreRefusedException(ex.reason(),
						"This server does not support the request. Update the server");
			}
			return (ex.reason() == ErrorReason.NOT_AUTHORIZED)
					? StateStoreRefusedException.of(ex.reason(),
							"The server does not authorize this client to "
									+ "administer it. Log in as a user that may administer it (--rules), or change "
									+ "--administration of the server")
					: new StateStoreException("The administration request failed: " + ex.getMessage(), ex);
		}

		private void fail(StateStoreException failure) {
			this.future.completeExceptionally(failure);
		}

	}

	/**
	 * Thrown when no server answers an administration request, because the server is not
	 * one of this project, or is a gateway whose administration is off.
	 */
	public static final class AdministrationUnavailableException extends StateStoreException {

		private static final long serialVersionUID = 1L;

		private AdministrationUnavailableException(String message) {
			super(message);
		}

	}

}
