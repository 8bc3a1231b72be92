package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/** Call of a {@link Locked} method, the root object of the expressions in its name. */
final class LockedCall {

	private final Object target;

	private final Method method;

	private final @Nullable Object[] args;

	LockedCall(Object target, Method method, @Nullable Object[] args) {
		this.target = target;
		this.method = method;
		this.args = args;
	}

	public Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		return this.target.getClass();
	}

	public Method getMethod() {
		return this.method;
	}

	public String getMethodName() {
		return this.method.getName();
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
