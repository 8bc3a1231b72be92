package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;

import io.statestore.client.proxy.ProxiedMethodException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a {@link Locked} method that cannot run under its lock as
 * declared. Its message consists of a description and an action.
 */
public final class LockedMethodException extends ProxiedMethodException {

	private static final long serialVersionUID = 1L;

	LockedMethodException(Method method, String reason, String action) {
		this(method, reason, action, null);
	}

	LockedMethodException(Method method, String reason, String action, @Nullable Throwable cause) {
		super("@Locked", method, reason, action, cause);
	}

}
