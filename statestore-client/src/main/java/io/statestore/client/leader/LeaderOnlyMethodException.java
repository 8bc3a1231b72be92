package io.statestore.client.leader;

import java.lang.reflect.Method;

/**
 * Thrown at startup for a {@link LeaderOnly} method that cannot be restricted to the
 * leader. Its message consists of a description and an action.
 */
public final class LeaderOnlyMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	LeaderOnlyMethodException(Method method, String reason, String action) {
		this("@LeaderOnly method " + method.getDeclaringClass().getName() + "." + method.getName() + "() " + reason,
				action);
	}

	private LeaderOnlyMethodException(String description, String action) {
		super(description + ". " + action);
		this.description = description;
		this.action = action;
	}

	/**
	 * Returns a description of the method and the problem.
	 * @return one sentence without a period
	 */
	public String description() {
		return this.description;
	}

	/**
	 * Returns the change that solves the problem.
	 * @return one sentence without a period
	 */
	public String action() {
		return this.action;
	}

}
