package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a method that cannot be a listener as declared. The message names
 * the annotation, the method, the attribute or argument, and the next step.
 */
public final class ListenerMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	ListenerMethodException(Annotation annotation, Method method, String problem, @Nullable Throwable cause) {
		super('@' + annotation.annotationType().getSimpleName() + " method " + method.getDeclaringClass().getName()
				+ '.' + method.getName() + ' ' + problem, cause);
	}

}
