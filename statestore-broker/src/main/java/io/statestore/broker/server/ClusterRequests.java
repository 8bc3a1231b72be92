package io.statestore.broker.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.protocol.ClusterAdministration;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;

/** Handler of administration requests to a cluster. Thread-safe. */
final class ClusterRequests {

	private final AuditLog audit = new AuditLog();

	private final Executor serial;

	/**
	 * Creates a handler.
	 * @param serial the executor in which answers are sent
	 */
	ClusterRequests(Executor serial) {
		this.serial = serial;
	}

	/**
	 * Handles a request, and answers it when the cluster has.
	 * @param operations the cluster, or {@code null} if this server is none
	 */
	void handle(AdministrationCall call, ClusterRequest request, @Nullable ClusterOperations operations) {
		payload(call, request, operations)
			.exceptionally(
					(failure) -> failure((failure instanceof CompletionException) ? failure.getCause() : failure))
			.thenAcceptAsync((payload) -> AdministrationHandler.send(call, payload), this.serial);
	}

	private CompletableFuture<byte[]> payload(AdministrationCall call, ClusterRequest request,
			@Nullable ClusterOperations operations) {
		if (operations == null) {
			return CompletableFuture
				.completedFuture(ClusterAdministration.encodeFailure("this server is not a node of a cluster"));
		}
		if (request.action() == Action.STATUS) {
			return operations.states().thenApply(ClusterAdministration::encode);
		}
		log(call.request().connection(), request);
		return operations.change(request).thenApply((changed) -> ClusterAdministration.encodeSuccess());
	}

	private void log(ClientConnection connection, ClusterRequest request) {
		this.audit.line(AuditEvent.CLUSTER_CHANGE, connection.principal())
			.text("client", connection.clientId())
			.address(connection.address())
			.word("action", request.action())
			.text("nodes", String.join(" ", request.arguments()))
			.log();
	}

	private static byte[] failure(@Nullable Throwable failure) {
		String message = (failure != null && failure.getMessage() != null) ? failure.getMessage() : "unknown failure";
		return ClusterAdministration
			.encodeFailure(((failure instanceof IllegalStateException) ? ClusterAdministration.NOT_YET : "") + message);
	}

}
