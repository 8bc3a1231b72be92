package io.statestore.protocol;

import java.util.List;

/**
 * An administration request to a cluster of this project's servers.
 *
 * @param action what to do
 * @param arguments names or addresses of nodes, as many as the action requires
 */
public record ClusterRequest(Action action, List<String> arguments) implements AdministrationRequest {

	/** Maximum number of characters in an argument. */
	static final int MAX_LENGTH = 512;

	/**
	 * Creates a request.
	 * @throws IllegalArgumentException if the number of arguments is wrong, or an
	 * argument is empty or too long
	 */
	public ClusterRequest {
		arguments = List.copyOf(arguments);
		if (arguments.size() != action.arguments()
				|| !arguments.stream().allMatch((text) -> !text.isBlank() && text.length() <= MAX_LENGTH)) {
			throw new IllegalArgumentException(action + " requires " + action.arguments() + " arguments of 1 to "
					+ MAX_LENGTH + " characters, but they are " + arguments);
		}
	}

	/**
	 * Creates a request.
	 * @param action what to do
	 * @param arguments names or addresses of nodes
	 * @return a new request
	 * @throws IllegalArgumentException if the number of arguments is wrong, or an
	 * argument is empty or too long
	 */
	public static ClusterRequest of(Action action, String... arguments) {
		return new ClusterRequest(action, List.of(arguments));
	}

	/** Actions on a cluster. */
	public enum Action {

		/** Returns the state of all nodes. */
		STATUS(0),

		/** Adds the node at an address. The node must have been started to join. */
		ADD(1),

		/** Removes a member. */
		REMOVE(1),

		/**
		 * Replaces a member with the node at an address. The node must have been started
		 * to join.
		 */
		REPLACE(2),

		/** Lets another member lead. */
		TRANSFER(1);

		private final int arguments;

		Action(int arguments) {
			this.arguments = arguments;
		}

		/**
		 * Returns the number of arguments.
		 * @return 0 to 2
		 */
		public int arguments() {
			return this.arguments;
		}

	}

}
