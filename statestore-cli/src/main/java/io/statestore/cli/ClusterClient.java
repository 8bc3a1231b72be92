package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.client.mqtt.AdministrationUnavailableException;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;

/**
 * Client for the administration of a cluster. A change may move leadership, which ends
 * the connection. Therefore, a change without an answer is sent again only if the status
 * shows that it was not made.
 */
final class ClusterClient {

	/**
	 * Maximum time until an answer. A new node receives the log during longer changes.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final long POLL_MILLIS = 200;

	/** Number of polls after which leadership is transferred again. */
	private static final int TRANSFER_POLLS = 15;

	private final AdministrationClient administration;

	/**
	 * Creates a client, and connects.
	 * @throws StateStoreException if there is no connection
	 */
	ClusterClient(Session session) {
		this.administration = session.administration();
	}

	/** Returns host and port of a node, with its number unless that is 0. */
	static String address(ClusterNodeState node) {
		return (node.number() != 0) ? node.address() + ':' + node.number() : node.address();
	}

	/**
	 * Returns the nodes.
	 * @throws CliException if the server does not answer, or is no node of a cluster
	 */
	List<ClusterNodeState> nodes() {
		return Session.await(this.administration.nodes(TIMEOUT), ExitCodes.NO_CONNECTION,
				"Check that the server is a node of a cluster");
	}

	/**
	 * Changes the cluster, and returns its nodes.
	 * @param goal whether the nodes show that the change was made
	 * @param wait maximum time until the change is made
	 * @throws CliException if the change is refused, or takes too long
	 */
	List<ClusterNodeState> change(ClusterRequest request, Predicate<List<ClusterNodeState>> goal, Duration wait)
			throws InterruptedException {
		long end = System.nanoTime() + wait.toNanos();
		String reason = "there was no answer";
		boolean sent = false;
		do {
			List<ClusterNodeState> nodes = sent ? nodesOrNull() : List.of();
			if (sent && nodes != null && goal.test(nodes)) {
				return nodes;
			}
			if (nodes != null) {
				sent = true;
				try {
					Session.await(this.administration.change(request, TIMEOUT));
					if (request.action() != Action.TRANSFER || awaitGoal(goal)) {
						return nodes();
					}
					reason = "the other node has not taken over leadership";
				}
				catch (AdministrationUnavailableException ex) {
					reason = String.valueOf(ex.getMessage());
				}
				catch (StateStoreRefusedException ex) {
					reason = refusal(ex);
				}
			}
			Thread.sleep(POLL_MILLIS);
		}
		while (System.nanoTime() - end < 0);
		throw new CliException(ExitCodes.OUTCOME_UNKNOWN, "The change was not made within " + wait.toSeconds() + " s: "
				+ reason + ". It may still be made; see 'statestore cluster status'");
	}

	/** Returns the reason of a refusal after which the request can be repeated. */
	private static String refusal(StateStoreRefusedException refusal) {
		String message = String.valueOf(refusal.getMessage());
		if (!message.startsWith(Administration.NOT_YET)) {
			throw Session.refused(refusal);
		}
		return message.substring(Administration.NOT_YET.length());
	}

	private boolean awaitGoal(Predicate<List<ClusterNodeState>> goal) throws InterruptedException {
		for (int i = 0; i < TRANSFER_POLLS; i++) {
			List<ClusterNodeState> nodes = nodesOrNull();
			if (nodes != null && goal.test(nodes)) {
				return true;
			}
			Thread.sleep(POLL_MILLIS);
		}
		return false;
	}

	/** Returns the nodes, {@code null} while leadership moves. */
	private @Nullable List<ClusterNodeState> nodesOrNull() {
		try {
			return Session.await(this.administration.nodes(TIMEOUT));
		}
		catch (AdministrationUnavailableException ex) {
			return null;
		}
	}

}
