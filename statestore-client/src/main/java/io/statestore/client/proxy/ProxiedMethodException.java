package io.statestore.client.proxy;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for an annotated method that cannot be called through a proxy as its
 * annotation requires. The message consists of a description and an action.
 */
public final class ProxiedMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	/**
	 * Creates an exception.
	 * @param annotation annotation of the method
	 * @param method the annotated method
	 * @param reason what is wrong, as the rest of a sentence about the method
	 * @param action the change that solves the problem, a sentence without a period
	 * @param cause the cause, or {@code null}
	 */
	public ProxiedMethodException(Class<? extends Annotation> annotation, Method method, String reason, String action,
			@Nullable Throwable cause) {
		super(description(annotation, method, reason) + ". " + action, cause);
		this.description = description(annotation, method, reason);
		this.action = action;
	}

	private static String description(Class<? extends Annotation> annotation, Method method, String reason) {
		return "@" + annotation.getSimpleName() + " method " + method.getDeclaringClass().getName() + "."
				+ method.getName() + "() " + reason;
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
