package io.statestore.broker.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

import io.statestore.broker.history.HistoryPages;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLine;
import io.statestore.broker.security.AuditLog;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.AdministrationRequest;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.SessionEnd;
import io.statestore.protocol.SessionQuery;
import org.jspecify.annotations.Nullable;

/**
 * Handles administration requests that are answered later. Their answers do not come from
 * the store itself, but from its history, the cluster, or this server's MQTT clients and
 * sessions. Thread-safe.
 */
final class DeferredRequests {

	private static final String NO_HISTORY = "this server keeps no history. Start it with a directory and a history: with "
			+ "--data-directory and --history-retention, or with statestore.embedded.data-directory and "
			+ "statestore.embedded.history.retention";

	private static final String NO_SESSIONS = "this server keeps no MQTT sessions, and has no MQTT clients. If it is a "
			+ "gateway, its broker has them";

	private final AuditLog audit = new AuditLog();

	private final Executor serial;

	private final KeyAccess access;

	private final @Nullable HistoryPages history;

	/**
	 * Creates a handler.
	 * @param serial the executor that sends answers
	 * @param access checks clients' permissions
	 * @param history the history, or {@code null} if none is kept
	 */
	DeferredRequests(Executor serial, KeyAccess access, @Nullable HistoryPages history) {
		this.serial = serial;
		this.access = access;
		this.history = history;
	}

	/** Handles a request for a page of the history. */
	void handle(AdministrationCall call, HistoryQuery query) {
		if (this.history == null) {
			answer(call, failure(NO_HISTORY));
			return;
		}
		ClientConnection connection = call.request().connection();
		answer(call, this.history.page(connection, query, (key) -> this.access.mayRead(connection, key))
			.thenApply(Administration::encode));
	}

	/**
	 * Handles a request to the cluster.
	 * @param operations the cluster, or {@code null} if this server is not a cluster node
	 */
	void handle(AdministrationCall call, ClusterRequest request, @Nullable ClusterOperations operations) {
		answer(call, payload(call.request().connection(), request, operations));
	}

	/**
	 * Handles a request about MQTT clients and sessions.
	 * @param operations the clients and sessions, or {@code null} if this server has none
	 */
	void handle(AdministrationCall call, AdministrationRequest request, @Nullable SessionOperations operations) {
		if (operations == null) {
			answer(call, failure(NO_SESSIONS));
		}
		else if (request instanceof ClientQuery query) {
			answer(call, operations.page(query).thenApply(Administration::encode));
		}
		else if (request instanceof SessionQuery query) {
			answer(call, operations.page(query).thenApply(Administration::encode));
		}
		else if (request instanceof SessionEnd end) {
			auditLine(AuditEvent.SESSION_END, call.request().connection()).text("session", end.clientId()).log();
			answer(call, operations.end(end.clientId())
				.thenApply((existed) -> Replies.encode(new Reply.Count(existed ? 1 : 0))));
		}
	}

	/** Answers a request once the answer's payload is known. */
	private void answer(AdministrationCall call, CompletableFuture<byte[]> answer) {
		answer
			.exceptionally(
					(failure) -> encodeFailure((failure instanceof CompletionException) ? failure.getCause() : failure))
			.thenAcceptAsync((payload) -> AdministrationHandler.send(call, payload), this.serial);
	}

	private CompletableFuture<byte[]> payload(ClientConnection connection, ClusterRequest request,
			@Nullable ClusterOperations operations) {
		if (operations == null) {
			return failure("this server is not a node of a cluster");
		}
		if (request.action() == Action.STATUS) {
			return operations.states()
				.thenApply((states) -> Administration.encode(new AdministrationPage<>(states, null)));
		}
		auditLine(AuditEvent.CLUSTER_CHANGE, connection).word("action", request.action())
			.text("nodes", String.join(" ", request.arguments()))
			.log();
		return operations.change(request).thenApply((changed) -> Replies.encode(new Reply.Ok()));
	}

	private AuditLine auditLine(AuditEvent event, ClientConnection connection) {
		return this.audit.line(event, connection.principal())
			.text("client", connection.clientId())
			.address(connection.address());
	}

	private static CompletableFuture<byte[]> failure(String text) {
		return CompletableFuture.completedFuture(Administration.encodeFailure(text));
	}

	private static byte[] encodeFailure(@Nullable Throwable failure) {
		if (failure instanceof ProtocolException exception) {
			return Replies.encode(new Reply.Error(exception.reason()));
		}
		String message = (failure != null && failure.getMessage() != null) ? failure.getMessage() : "unknown failure";
		return Administration
			.encodeFailure(((failure instanceof IllegalStateException) ? Administration.NOT_YET : "") + message);
	}

}
