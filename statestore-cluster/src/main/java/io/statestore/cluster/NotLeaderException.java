package io.statestore.cluster;

import org.jspecify.annotations.Nullable;

/** Thrown when a node is not the leader. The entry was not proposed. */
public final class NotLeaderException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final transient @Nullable Member leader;

	NotLeaderException(@Nullable Member leader) {
		super((leader != null) ? "The leader is " + leader : "There is no leader. Try again");
		this.leader = leader;
	}

	/**
	 * Returns the leader, as far as the node knows it.
	 * @return the leader, {@code null} if it is unknown
	 */
	public @Nullable Member leader() {
		return this.leader;
	}

}
