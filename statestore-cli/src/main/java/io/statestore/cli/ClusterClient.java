package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;

/**
 * Client for administering a cluster. A change may move leadership, which ends the
 * connection. Therefore, an unanswered change is sent again only if the status shows that
 * it was not made.
 */
record ClusterClient(AdministrationClient administration) {

	/**
	 * Request timeout. Changes may take longer, because a new node must first receive the
	 * log.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final long POLL_MILLIS = 200;

	/** Number of polls after which leadership is transferred again. */
	private static final int TRANSFER_POLLS = 15;

	/**
	 * Returns the nodes.
	 * @throws AdministrationUnavailableException if the server does not answer
	 * @throws StateStoreRefusedException if the server is not a cluster node
	 */
	List<ClusterNodeState> nodes() {
		return Session.await(this.administration.nodes(TIMEOUT));
	}

	/**
	 * Changes the cluster and returns its nodes.
	 * @param goal whether the nodes show that the change was made
	 * @param wait how long the change may take
	 * @throws StateStoreRefusedException if the change is refused
	 * @throws CliException if the change takes too long
	 */
	List<ClusterNodeState> change(ClusterRequest request, Predicate<List<ClusterNodeState>> goal, Duration wait)
			throws InterruptedException {
		long end = System.nanoTime() + wait.toNanos();
		String reason = "there was no answer";
		boolean sent = false;
		do {
			try {
				List<ClusterNodeState> nodes = sent ? nodes() : List.of();
				if (sent && goal.test(nodes)) {
					return nodes;
				}
				sent = true;
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
				reason = String.valueOf(ex.getMessage());
				if (!reason.startsWith(Administration.NOT_YET)) {
					throw ex;
				}
				reason = reason.substring(Administration.NOT_YET.length());
			}
			Thread.sleep(POLL_MILLIS);
		}
		while (System.nanoTime() - end < 0);
		throw new CliException(ExitCodes.OUTCOME_UNKNOWN, "The change was not made within " + wait.toSeconds() + " s: "
				+ reason + ". It may still be made; see 'statestore cluster status'");
	}

	private boolean awaitGoal(Predicate<List<ClusterNodeState>> goal) throws InterruptedException {
		for (int i = 0; i < TRANSFER_POLLS; i++) {
			try {
				if (goal.test(nodes())) {
					return true;
				}
			}
			catch (AdministrationUnavailableException ex) {
				// Leadership is moving.
			}
			Thread.sleep(POLL_MILLIS);
		}
		return false;
	}

}
