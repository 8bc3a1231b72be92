package io.statestore.client.leader;

import java.lang.reflect.Method;

import io.statestore.client.proxy.ProxiedMethodException;

/**
 * Thrown at startup for a {@link LeaderOnly} method that cannot be restricted to the
 * leader. Its message consists of a description and an action.
 */
public final class LeaderOnlyMethodException extends ProxiedMethodException {

	private static final long serialVersionUID = 1L;

	LeaderOnlyMethodException(Method method, String reason, String action) {
		super("@LeaderOnly", method, reason, action, null);
	}

}
