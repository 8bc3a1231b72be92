package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Call of a {@link Locked} method, the root object of the expressions in its name.
 *
 * @param target object of the method
 * @param method the method
 * @param args arguments of the call
 */
record LockedCall(Object target, Method method, @Nullable Object[] args) {

	public Class<?> targetClass() {
		return this.target.getClass();
	}

	public String methodName() {
		return this.method.getName();
	}

}
