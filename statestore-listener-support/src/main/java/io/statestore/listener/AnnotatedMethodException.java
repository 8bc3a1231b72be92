package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup if an annotated method, such as a listener or a method called through
 * a proxy, is not valid as declared, or if two listeners have the same id. The message
 * names the annotation and the method, or both listeners, and explains how to fix the
 * problem.
 */
public final class AnnotatedMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	AnnotatedMethodException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Creates an exception for a method that is called through a proxy.
	 * @param annotation the annotation type
	 * @param method the annotated method
	 * @param problem the problem and how to fix it, as the end of a sentence whose
	 * subject is the method
	 * @param cause the cause, {@code null} for none
	 */
	public AnnotatedMethodException(Class<? extends Annotation> annotation, Method method, String problem,
			@Nullable Throwable cause) {
		this('@' + annotation.getSimpleName() + " method " + method.getDeclaringClass().getName() + '.'
				+ method.getName() + "() " + problem, cause);
	}

}
