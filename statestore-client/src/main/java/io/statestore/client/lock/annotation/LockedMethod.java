package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.listener.AnnotatedMethodException;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A {@link Locked} method with the values of its attributes.
 *
 * @param method the method
 * @param name name of its lock
 * @param waitTime maximum time to wait for the lock
 * @param lease {@code null} for that of the registry
 * @param maxHold {@code null} for no limit
 * @param skipIfHeld whether to skip a call whose lock was not acquired
 */
record LockedMethod(Method method, LockName name, Duration waitTime, @Nullable Duration lease,
		@Nullable Duration maxHold, boolean skipIfHeld) {

	/** Types of Spring MVC, which is not a dependency of this library. */
	private static final Set<String> WEB_TYPES = Set.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/**
	 * Returns a method.
	 * @param placeholders resolves the placeholders of an attribute
	 * @throws AnnotatedMethodException if the method or an attribute is not valid
	 */
	static LockedMethod of(Method method, Locked locked, UnaryOperator<String> placeholders) {
		requireReturnType(method, locked);
		LockName name = new LockName(placeholders.apply(locked.value()), method);
		Duration wait = duration(method, "waitTime", placeholders.apply(locked.waitTime()));
		Duration lease = optionalDuration(method, "lease", placeholders.apply(locked.lease()));
		Duration maxHold = optionalDuration(method, "maxHold", placeholders.apply(locked.maxHold()));
		if (wait.isNegative()) {
			throw new AnnotatedMethodException(Locked.class, method, "has the attribute 'waitTime' " + wait
					+ ", which is negative. Use 0s for a single request, or a longer time", null);
		}
		return new LockedMethod(method, name, wait, lease, maxHold, locked.skipIfHeld());
	}

	private static void requireReturnType(Method method, Locked locked) {
		Class<?> type = method.getReturnType();
		if (locked.skipIfHeld() && type != void.class) {
			throw new AnnotatedMethodException(Locked.class, method,
					"returns a value, which a skipped call does not have. "
							+ "Change its return type to void, or remove 'skipIfHeld'",
					null);
		}
		if (isDeferred(method)) {
			throw new AnnotatedMethodException(Locked.class, method,
					"returns before its work is done, so the lock would be released too early. Return the result itself",
					null);
		}
	}

	/** Returns whether the declared result of a method is deferred. */
	private static boolean isDeferred(Method method) {
		return KotlinDetector.isSuspendingFunction(method) || isDeferred(method.getReturnType())
				|| Arrays.stream(ResolvableType.forMethodReturnType(method).getGenerics())
					.anyMatch((body) -> isWebType(body.resolve(Object.class)));
	}

	/** Returns whether results of a type are deferred. */
	private static boolean isDeferred(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| Flow.Publisher.class.isAssignableFrom(type) || Callable.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null || isWebType(type);
	}

	private static boolean isWebType(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (WEB_TYPES.contains(each.getName())
					|| Arrays.stream(each.getInterfaces()).map(Class::getName).anyMatch(WEB_TYPES::contains)) {
				return true;
			}
		}
		return false;
	}

	private static @Nullable Duration optionalDuration(Method method, String attribute, String text) {
		return text.isEmpty() ? null : duration(method, attribute, text);
	}

	private static Duration duration(Method method, String attribute, String text) {
		try {
			return DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new AnnotatedMethodException(Locked.class, method, "has the attribute '" + attribute + "' '" + text
					+ "', which is not a duration. Use a duration such as 500ms or 10s", ex);
		}
	}

	/**
	 * Checks the lease and the maximum hold.
	 * @throws AnnotatedMethodException if the registry refuses one of them
	 */
	void validate(StateStoreLockRegistry registry) {
		try {
			lock(registry, this.method.getName());
		}
		catch (InvalidOptionException ex) {
			throw new AnnotatedMethodException(Locked.class, this.method, "has the attribute '" + ex.option() + "' "
					+ ex.value() + ". " + ex.reason().substring(0, ex.reason().length() - 1), ex);
		}
	}

	/** Returns the lock of a name, acquired on the terms of the method. */
	FencedLock lock(StateStoreLockRegistry registry, String name) {
		FencedLock lock = (this.lease != null) ? registry.obtain(name, this.lease) : registry.obtain(name);
		return (this.maxHold != null) ? lock.withMaxHold(this.maxHold) : lock;
	}

	/**
	 * Returns a result whose work is done.
	 * @throws IllegalStateException if the work may continue, which the return type does
	 * not show
	 */
	@Nullable Object requireDone(@Nullable Object result) {
		if (result != null && result.getClass() != this.method.getReturnType() && isDeferred(result.getClass())) {
			throw new IllegalStateException("Method " + this.method.getDeclaringClass().getName() + "."
					+ this.method.getName() + "() returned a " + result.getClass().getName()
					+ ", whose work may continue without the lock. Return the result itself");
		}
		return result;
	}

}
