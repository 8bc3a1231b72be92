package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Call of a {@link Locked} method. Root object of the expressions in the lock's name.
 *
 * @param target object whose method is called
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
