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
 * A {@link Locked} method with its attribute values.
 *
 * @param method the annotated method
 * @param name name of the method's lock
 * @param waitTime maximum time to wait for the lock
 * @param lease lease of the lock, {@code null} for the registry's lease
 * @param maxHold maximum hold of the lock, {@code null} for no limit
 * @param skipIfHeld whether to skip a call if its lock cannot be acquired
 */
record LockedMethod(Method method, LockName name, Duration waitTime, @Nullable Duration lease,
		@Nullable Duration maxHold, boolean skipIfHeld) {

	/** Names of Spring MVC types, because this library does not depend on Spring MVC. */
	private static final Set<String> WEB_TYPES = Set.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/**
	 * Reads and checks a method's attributes.
	 * @param placeholders resolves placeholders in an attribute
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

	/**
	 * Returns whether a method's declared result is deferred, so that its work may
	 * continue after the method returns.
	 */
	private static boolean isDeferred(Method method) {
		return KotlinDetector.isSuspendingFunction(method) || isDeferred(method.getReturnType())
				|| Arrays.stream(ResolvableType.forMethodReturnType(method).getGenerics())
					.anyMatch((body) -> isWebType(body.resolve(Object.class)));
	}

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

	/**
	 * Returns the lock with a name, configured with the method's lease and maximum hold.
	 */
	FencedLock lock(StateStoreLockRegistry registry, String name) {
		FencedLock lock = (this.lease != null) ? registry.obtain(name, this.lease) : registry.obtain(name);
		return (this.maxHold != null) ? lock.withMaxHold(this.maxHold) : lock;
	}

	/**
	 * Returns a method's result, after checking that it is not deferred.
	 * @throws IllegalStateException if the result is deferred although the declared
	 * return type does not show it
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
