package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a method that is not valid as declared: a listener, or a method
 * that is called through a proxy. Also thrown for a listener with the id of another one.
 * The message names the annotation and the method, or both listeners, and the next step.
 */
public final class AnnotatedMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	AnnotatedMethodException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Creates an exception for a method that is called through a proxy.
	 * @param annotation type of the annotation
	 * @param method the annotated method
	 * @param problem the problem and the next step, as the rest of a sentence about the
	 * method
	 * @param cause the cause, or {@code null} if there is none
	 */
	public AnnotatedMethodException(Class<? extends Annotation> annotation, Method method, String problem,
			@Nullable Throwable cause) {
		this('@' + annotation.getSimpleName() + " method " + method.getDeclaringClass().getName() + '.'
				+ method.getName() + "() " + problem, cause);
	}

}
