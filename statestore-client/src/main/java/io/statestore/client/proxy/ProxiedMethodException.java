package io.statestore.client.proxy;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for an annotated method that cannot be called through a proxy as its
 * annotation requires. The message consists of a description and an action.
 */
public abstract class ProxiedMethodException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	/**
	 * Creates an exception.
	 * @param annotation name of the annotation with its at sign
	 * @param method the annotated method
	 * @param reason what is wrong, as the rest of a sentence about the method
	 * @param action the change that solves the problem, a sentence without a period
	 * @param cause the cause, or {@code null}
	 */
	protected ProxiedMethodException(String annotation, Method method, String reason, String action,
			@Nullable Throwable cause) {
		this(annotation + " method " + method.getDeclaringClass().getName() + "." + method.getName() + "() " + reason,
				action, cause);
	}

	private ProxiedMethodException(String description, String action, @Nullable Throwable cause) {
		super(description + ". " + action, cause);
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
