package io.statestore.client.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a {@link StateStoreListener} method that cannot be used as
 * declared. The message names the method, the attribute or argument, and the next step.
 */
public final class StateStoreListenerMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	StateStoreListenerMethodException(Method method, String problem, @Nullable Throwable cause) {
		super("@StateStoreListener method " + method.getDeclaringClass().getName() + '.' + method.getName() + ' '
				+ problem, cause);
	}

}
