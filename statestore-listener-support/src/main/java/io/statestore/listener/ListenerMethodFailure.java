package io.statestore.listener;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Internal: factory of exceptions for methods that cannot be listeners. Not part of the
 * API.
 */
@FunctionalInterface
public interface ListenerMethodFailure {

	/**
	 * Returns an exception.
	 * @param method the method
	 * @param problem the problem, as the rest of a sentence about the method
	 * @param cause the cause, or {@code null} for none
	 * @return an exception whose message names the method
	 */
	IllegalStateException create(Method method, String problem, @Nullable Throwable cause);

}
